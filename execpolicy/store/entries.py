"""What `amend` adds to a rules file without a line of its own: names to entries for tools of the
user's own, and words to rules that differ in one word.
"""

import re
from collections.abc import Sequence

from execpolicy.store.alike import joined
from execpolicy.support.record import Value

_ENTRY = re.compile(rb"^program\(\s*\[([^][()]*)\],([^][()]*)\)$", re.M)
_NAME = re.compile(rb'"([^"\\]*)"')
_ON_A_LINE = 100
"""Characters of a list of names that stands on one line, as `fmt` has it."""


class Extended(Value):
    """The file's content with what was added to lines of it, the rules among that, and the lines
    that are still to be appended."""

    content: bytes
    rules: tuple[str, ...]
    left: tuple[str, ...]


def extended(before: bytes, lines: Sequence[str]) -> Extended:
    """The content with the names of new entries at those of the same tool that say the same, and
    with the words of new rules at those that differ in one alone.

    >>> extended(b'program(["a", "a x"], effect = "read")', ['program(["a y"], effect = "read")'])
    Extended(content=b'program(["a", "a x", "a y"], effect = "read")', rules=(), left=())
    """
    rules: list[str] = []
    left: list[str] = []
    for line in lines:
        content = _with_names(before, line)
        if content is None:
            content = joined(before, line)
            (left if content is None else rules).append(line)
        before = content or before
    return Extended(before, tuple(rules), tuple(left))


def _with_names(before: bytes, line: str) -> bytes | None:
    """The content with the names of an entry at one that says the same; None without such."""
    new = _ENTRY.fullmatch(line.encode())
    for found in _ENTRY.finditer(before) if new else ():
        if new is None or not _same(found, new):
            continue
        names = b", ".join(dict.fromkeys(_NAME.findall(found[1]) + _NAME.findall(new[1])))
        listed = b", ".join(b'"%s"' % name for name in names.split(b", "))
        if len(listed) > _ON_A_LINE:
            parts = b"".join(b'\n        "%s",' % name for name in names.split(b", "))
            listed = parts + b"\n    "
        return before[: found.start(1)] + listed + before[found.end(1) :]
    return None


def _text_of(rest: bytes) -> bytes:
    return b"".join(rest.split()).rstrip(b",")


def _same(one: re.Match[bytes], other: re.Match[bytes]) -> bool:
    """Whether two entries are of one tool and differ in their names only."""
    tools = {name.partition(b" ")[0] for found in (one, other) for name in _NAME.findall(found[1])}
    return len(tools) == 1 and _text_of(one[2]) == _text_of(other[2])
