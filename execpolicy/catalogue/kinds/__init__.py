"""The kinds of a word: what the program takes it for, and which words can be of a kind."""
