"""What changes with a path, and what the steps of a request put where before others find it."""
