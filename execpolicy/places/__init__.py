"""Where paths really lie, and what lies around the place where a command runs.

All that a decision asks of the file system it asks through a `Resolver`: `Disk` is the real one.
"""
