"""Permission lists of hosts as rules that allow no more."""
