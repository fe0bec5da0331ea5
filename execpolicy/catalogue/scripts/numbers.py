"""Scripts in which only numbers are computed, and that print whatever the numbers are.

A number may have a sign, be missing, or be several on lines of their own. Where a search found a
binary file it may be `grep` or begin with `Binary file`, which no sed takes for a script.
"""

from execpolicy.model.operation import Hole, Template

_SED = frozenset(" 0123456789,+~$!pdqn=;{}")
"""Addresses, and commands that print, skip and end: with digits in it, nothing else can be said."""


def only_prints(kind: str, script: Template) -> bool:
    """Whether a script of this kind, whatever its numbers are, does no more than print."""
    return kind == "sed" and script != () and all(map(_only_prints, script))


def _only_prints(part: str | Hole) -> bool:
    return part is Hole.NUMBER if isinstance(part, Hole) else _SED.issuperset(part)
