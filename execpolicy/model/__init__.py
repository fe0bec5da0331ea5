"""The nouns that several stages share: values and pure functions on them, and nothing else."""
