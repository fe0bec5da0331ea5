"""What a command may remove is kept before it runs, and brought back by `execpolicy undo`."""
