"""Which rules cover which: sets of commands as automata."""
