"""Days of an agent in a host's own program, with and without `wrap`."""
