"""What keeps the snapshots of a session, and what the session knows of the project."""
