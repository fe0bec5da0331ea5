"""Answers that were given before, and all that they depend on."""
