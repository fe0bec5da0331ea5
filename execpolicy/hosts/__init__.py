"""The hosts' own configuration: their hooks, edited in place, and their permission lists, read."""
