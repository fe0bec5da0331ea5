"""Hostile calls of a model in each host's own program under `wrap`, in a hostile project."""
