"""The policy in force: where its files are, how they are compiled, kept and replaced."""
