"""Parses the dialect of rules files, with comments, and words its syntax errors."""
