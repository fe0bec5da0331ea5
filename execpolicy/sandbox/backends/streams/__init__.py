"""Standard input, output and error of a run, and the terminal that stands for the caller's."""
