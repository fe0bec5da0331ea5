"""Compiled rules on disk, and snapshots made from them."""
