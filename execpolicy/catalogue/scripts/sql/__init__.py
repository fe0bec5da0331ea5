"""SQL, in the dialects of its clients: what statements do."""
