"""The version of the package, of the rules language, and of what is kept compiled."""

PACKAGE = "0.1.0"
LANGUAGE = 1
COMPILED = 36
"""Raise it when what the store writes to the cache changes its shape or its meaning."""
