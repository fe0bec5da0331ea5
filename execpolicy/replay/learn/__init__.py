"""The fewest readable rules that settle most questions of a log."""
