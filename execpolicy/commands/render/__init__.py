"""Answers of commands as text and as files of other programs."""
