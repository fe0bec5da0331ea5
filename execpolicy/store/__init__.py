"""The policy in force: its files, how they are compiled and kept, and how it is replaced."""
