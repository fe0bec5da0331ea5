"""The hosts' own configuration, edited in place."""
