"""Writes rules files in the one form that `execpolicy fmt` gives them."""
