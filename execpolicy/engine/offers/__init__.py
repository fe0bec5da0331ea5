"""The rules that would allow what was asked, and no more."""
