"""Python texts: which files and variables they name, where they only compute beside."""
