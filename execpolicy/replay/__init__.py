"""What agents did, decided again: by session, program and reason, and the rules it would take."""
