"""The nouns: frozen values without clock, disk or environment."""
