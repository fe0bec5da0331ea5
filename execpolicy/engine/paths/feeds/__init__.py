"""Paths that one command prints, and another one takes."""
