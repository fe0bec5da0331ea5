"""What one policy allows that another does not: proofs over all commands, paths and hosts."""
