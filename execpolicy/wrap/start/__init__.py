"""Starts a command of a session: in its namespaces, behind its walls."""
