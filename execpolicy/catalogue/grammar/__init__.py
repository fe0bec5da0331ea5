"""The notation of `program(...)` and its compilation."""
