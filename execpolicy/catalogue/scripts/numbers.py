"""Scripts in which only numbers are computed, and that print whatever the numbers are.

A number may have a sign, be missing, or be several on lines of their own. Where a search found a
binary file it may be `grep` or begin with `Binary file`, which no sed takes for a script.
"""

_SED = frozenset("\0 0123456789,+~$!pdqn=;{}")
"""Addresses, and commands that print, skip and end: with digits in it, nothing else can be said."""


def only_prints(kind: str, holed: str) -> bool:
    """Whether a script of this kind, with a NUL for each number, does no more than print."""
    return kind == "sed" and holed != "" and _SED.issuperset(holed)
