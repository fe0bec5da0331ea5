"""The parser of shell text and the tree it gives."""
