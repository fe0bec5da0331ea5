"""From the argv of a program to what it does."""
