"""Expands words as far as a text alone tells: braces, quotes, variables with known values."""
