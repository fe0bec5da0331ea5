"""Which of hundreds of thousands of paths may be like a key: their bytes are searched as one text.

More may be found than are like one, as `NameSearch` says, but none is left out: the end of a copy
(`.env.bak`, `key copy.json`) stands after the name, or before its last dot.
"""

import re
from _collections_abc import Iterable, Iterator, Sequence
from bisect import bisect_right
from itertools import accumulate

from execpolicy.policy.backups import LONG
from execpolicy.support.path_match import NameKey


def possible(paths: "Sequence[bytes]", keys: "Sequence[NameKey]") -> "list[bytes]":
    """Those of some paths of which a name may be like a key or a copy of one; in their order."""
    if not all(any(key[:-1]) for key in keys):  # one tells nothing
        return [*paths]
    text = b"/".join([b"", *paths]).lower()
    patterns = [*_patterns(keys)]
    if not text.isascii() or b"\\" in text:
        patterns.append(r"[\\\x80-\xff]")  # what is not folded as letters are
    every = (re.finditer(pattern.encode(), text) for pattern in patterns)
    at = {match.start() for found in every for match in found}
    ends = [*accumulate([len(path) + 1 for path in paths])] if at else []
    return [paths[row] for row in sorted({bisect_right(ends, each) for each in at})]


def _patterns(keys: "Iterable[NameKey]") -> "Iterator[str]":
    """What a name begins with, after what editors put before it, and what is in one."""
    begins, inside = {*LONG, " ("}, set[str]()
    for exact, head, tail, middle, _ in keys:
        text = exact or head or tail or middle
        end = text.rfind(".")
        (begins if exact or head else inside).add(text[:end] if end > 0 else text)
    yield "/[#.]*" + _any(begins)
    if inside:
        yield _any(inside)


def _any(texts: "Iterable[str]") -> str:
    """A pattern of any of some texts, by their first characters one after the other."""
    by_first: dict[str, list[str]] = {}
    for text in texts:
        if not text:
            return ""
        by_first.setdefault(text[0], []).append(text[1:])
    found = [re.escape(first) + _any(rest) for first, rest in by_first.items()]
    return f"(?:{'|'.join(found)})"
