"""What a user asks of one policy, or of what is added to it."""
