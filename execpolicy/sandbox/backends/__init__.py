"""What holds a command: one file a mechanism, and the launcher they share."""
