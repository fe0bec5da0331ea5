"""What each call in a rules file means, one builtin or topic a file."""
