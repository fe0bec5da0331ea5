"""What prefix rules say about one command, with their conditions."""
