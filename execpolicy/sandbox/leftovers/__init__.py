"""What a run may leave and must not: written down before it, looked for and moved away after it."""
