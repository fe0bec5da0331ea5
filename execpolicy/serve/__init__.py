"""The engine as a service: what it serves, where, and to whom."""
