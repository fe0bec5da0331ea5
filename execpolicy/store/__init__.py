"""The policy in force: where its files are, how they are compiled and kept, and how it is replaced."""
