"""Which of hundreds of thousands of paths may be like a key: their bytes are searched as one text.

More may be found than are like one, as `NameSearch` says, but none is left out: the end of a copy
(`.env.bak`, `key copy.json`) stands after the name, or before its last dot.
"""

import re
from _collections_abc import Iterable, Iterator, Sequence
from bisect import bisect_right
from itertools import accumulate

from execpolicy.policy.backups import LONG
from execpolicy.policy.name_search import NameSearch, PathNames
from execpolicy.support.path_match import NameKey

_ODD = re.compile(rb"[\\\x80-\xff]")
"""What is not folded as letters are."""
FEW = 1500
"""Paths that are compared one by one: to put patterns together takes as long."""


class LikeNames:
    """The paths of which a name is like a key. What they are sought by is made once for many lists
    of paths, when it is needed."""

    def __init__(self, keys: "Sequence[NameKey]") -> None:
        self._keys, self._left = keys, FEW
        self._tell = all(any(key[:-1]) for key in keys)
        self._search: NameSearch | None = None
        self._patterns: list[re.Pattern[bytes]] | None = None

    def among(self, paths: "Sequence[bytes]") -> tuple[str, ...]:
        """Those of some paths, in their order."""
        self._left -= len(paths)
        few = paths if self._left >= 0 else self.possible(paths)
        if not few:
            return ()
        search = self._search = self._search or NameSearch(self._keys)
        text = b"\0".join(few).decode("utf-8", "surrogateescape")
        return tuple(search.among(PathNames(text.split("\0"))))

    def possible(self, paths: "Sequence[bytes]") -> "Sequence[bytes]":
        """Those of some paths of which a name may be like a key, or a copy of one; in order."""
        if not self._tell:
            return paths
        if self._patterns is None:
            self._patterns = [re.compile(each.encode()) for each in _patterns(self._keys)]
        text = b"/".join([b"", *paths]).lower()
        odd = () if text.isascii() and b"\\" not in text else (_ODD,)
        every = (pattern.finditer(text) for pattern in (*self._patterns, *odd))
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
