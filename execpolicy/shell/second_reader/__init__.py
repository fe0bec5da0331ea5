"""The second reader, bashlex, which has to agree with the parser about a text."""
