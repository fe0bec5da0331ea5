"""Looks at the disk that every layer may take: bounded reads, and which repository is there."""
