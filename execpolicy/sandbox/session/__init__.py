"""What the runs of one session share: a directory for temporary files, and a loopback."""
