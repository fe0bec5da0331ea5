"""Patterns whose names are fixed, found by a name that a glob must be able to match."""

from _collections_abc import Iterable, Sequence

from execpolicy.model.rule import PlaceRule
from execpolicy.support.path_match import PathPattern

Edges = tuple[str, str | None]
"""How a part of a glob begins and ends; it is all of a part without a sign where there is no
end."""


class LiteralNames:
    """Patterns in an order of their own. Never changed once made; safe to share between threads."""

    __slots__ = ("_first", "_last", "_patterns", "_texts")

    def __init__(self, patterns: "Iterable[tuple[PathPattern, PlaceRule]]") -> None:
        self._patterns = tuple(patterns)
        self._first: dict[str, list[int]] = {}
        """Those that have anything below their last name, by their first."""
        self._last: dict[str, list[int]] = {}
        for number, (pattern, _) in enumerate(self._patterns):
            if pattern.literal_names:
                below = pattern.parts[-1] == "**"
                table, name = (self._first, 0) if below else (self._last, -1)
                table.setdefault(pattern.literal_names[name], []).append(number)
        self._texts = tuple("\0".join(("", *each, "")) for each in (self._first, self._last))

    def like(self, parts: "Sequence[Edges]", dots: bool) -> "list[tuple[PathPattern, PlaceRule]]":
        """Those that a glob of these parts may match, in their order, and few others.

        `dots`: a hidden name need not be matched by a dot.
        """
        first, last = self._texts
        found = {*_named(self._last, last, parts[-1], dots)} if parts else set()
        for part in parts:
            found.update(_named(self._first, first, part, dots))
        return [self._patterns[number] for number in sorted(found)]


def _named(table: "dict[str, list[int]]", names: str, part: "Edges", dots: bool) -> "Iterable[int]":
    """What stands under the names that begin and end as a part of a glob does. All of them stand in
    `names`, with a zero byte on either side."""
    head, tail = part
    if tail is None:
        return table.get(head, ())
    if f"\0{head}" not in names or f"{tail}\0" not in names:
        return ()
    found = [name for name in table if name.startswith(head) and name.endswith(tail)]
    hidden = dots or head  # else a star would have to match the dot
    return [n for name in found if hidden or name[:1] != "." for n in table[name]]
