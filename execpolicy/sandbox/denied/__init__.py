"""What the walls kept a failed command from, as far as that is certain."""
