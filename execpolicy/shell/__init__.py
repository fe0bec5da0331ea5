"""Reads shell text: which commands a script would run, with which words."""
