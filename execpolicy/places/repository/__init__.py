"""What git and a project keep on disk, read without running git."""
