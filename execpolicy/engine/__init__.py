"""The decision and what surrounds it."""
