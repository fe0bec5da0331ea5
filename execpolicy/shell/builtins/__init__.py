"""What the shell's own commands do."""
