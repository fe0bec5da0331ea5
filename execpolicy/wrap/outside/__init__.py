"""What of a session is outside of it: ports of this machine, and the browser of the user."""
