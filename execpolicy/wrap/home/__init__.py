"""The home of a session: what the agent writes, reads, keeps apart and carries back."""
