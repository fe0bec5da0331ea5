"""Entries for tools of the user's own in a rules file: what is seen later extends what is there."""

import re
from collections.abc import Sequence

_ENTRY = re.compile(rb"^program\(\s*\[([^][()]*)\],([^][()]*)\)$", re.M)
_NAME = re.compile(rb'"([^"\\]*)"')
_ON_A_LINE = 100
"""Characters of a list of names that stands on one line, as `fmt` has it."""


def extended(before: bytes, lines: Sequence[str]) -> tuple[bytes, tuple[str, ...]]:
    """The file's content with the names of new entries at those of the same tool that say the
    same, and the lines that are still to be appended.

    >>> extended(b'program(["a", "a x"], effect = "read")', ['program(["a y"], effect = "read")'])
    (b'program(["a", "a x", "a y"], effect = "read")', ())
    """
    left: list[str] = []
    for line in lines:
        new = _ENTRY.fullmatch(line.encode())
        known = (found for found in _ENTRY.finditer(before) if new and _same(found, new))
        found = next(known, None)
        if new is None or found is None:
            left.append(line)
            continue
        names = b", ".join(dict.fromkeys(_NAME.findall(found[1]) + _NAME.findall(new[1])))
        listed = b", ".join(b'"%s"' % name for name in names.split(b", "))
        if len(listed) > _ON_A_LINE:
            parts = b"".join(b'\n        "%s",' % name for name in names.split(b", "))
            listed = parts + b"\n    "
        before = before[: found.start(1)] + listed + before[found.end(1) :]
    return before, tuple(left)


def _text_of(rest: bytes) -> bytes:
    return b"".join(rest.split()).rstrip(b",")


def _same(one: re.Match[bytes], other: re.Match[bytes]) -> bool:
    """Whether two entries are of one tool and differ in their names only."""
    tools = {name.partition(b" ")[0] for found in (one, other) for name in _NAME.findall(found[1])}
    return len(tools) == 1 and _text_of(one[2]) == _text_of(other[2])
