"""What keeps the snapshots of a session, and what it knows of the project."""
