"""Judges rules that the user wants to add, before they are written."""
