"""The checks of rules files, one topic a file."""
