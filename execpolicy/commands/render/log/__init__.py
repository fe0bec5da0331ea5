"""The log, in words for a terminal."""
