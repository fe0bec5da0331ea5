"""Evaluates rules texts in a process of its own, under limits."""
