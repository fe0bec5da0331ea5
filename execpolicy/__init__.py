"""Decide what a coding agent may do: allow, prompt or forbidden, always with the reason."""
