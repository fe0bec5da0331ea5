"""Finds mistakes in rules files, those that load included."""
