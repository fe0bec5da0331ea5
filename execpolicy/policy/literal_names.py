"""Patterns whose names are fixed, found by a name that a glob must be able to match."""

from _collections_abc import Iterable, Mapping, Sequence

from execpolicy.model.rule import PlaceRule
from execpolicy.support.path_match import PathPattern

Edges = tuple[str, str | None]
"""A part of a glob by its beginning and its end: `id_*.pub` is `("id_", ".pub")`, `*` is
`("", "")`. A part without a sign, as `name`, is `("name", None)`."""


class LiteralNames:
    """Patterns in an order of their own. Never changed once made; safe to share between threads."""

    __slots__ = ("_first", "_last", "_patterns", "_shapes")

    def __init__(self, patterns: "Iterable[tuple[PathPattern, PlaceRule]]") -> None:
        self._patterns = tuple(patterns)
        shapes: dict[tuple[str, int, bool], set[int]] = {}
        first: dict[str, list[int]] = {}
        last: dict[str, list[int]] = {}
        for number, (pattern, _) in enumerate(self._patterns):
            fixed, below = pattern.literal_names, pattern.parts[-1:] == ("**",)
            shapes.setdefault((pattern.anchor, len(fixed), below), set()).add(number)
            if fixed:
                table, name = (first, fixed[0]) if below else (last, fixed[-1])
                table.setdefault(name, []).append(number)
        self._first, self._last = _ByName(first), _ByName(last)
        self._shapes = tuple((*shape, numbers) for shape, numbers in shapes.items())
        """Where some begin, how many names they have, whether anything may be below, and which
        these are."""

    def like(
        self, parts: "Sequence[Edges]", lengths: "Mapping[str, set[int]]", dots: bool
    ) -> "list[tuple[PathPattern, PlaceRule]]":
        """Those that a glob of these parts may match, in their order, and few others.

        `lengths`: for each anchor of patterns, how many of the glob's last parts may lie below it,
        as `{"~": {2}, "**": {1, 2}}`. `dots`: a sign matches the dot of a hidden name, too.
        """
        found = {*self._last.like(parts[-1], dots)} if parts else set()
        for part in parts:
            found.update(self._first.like(part, dots))
        longest = {anchor: max(known, default=0) for anchor, known in lengths.items()}
        fit: set[int] = set()
        for anchor, length, open_end, numbers in self._shapes:
            if length in lengths[anchor] or (open_end and length < longest[anchor]):
                fit |= numbers
        return [self._patterns[number] for number in sorted(found & fit)]


class _ByName:
    """Numbers of patterns by a name. `_text` has all names with a zero byte on either side."""

    __slots__ = ("_all", "_shown", "_table", "_text")

    def __init__(self, table: "dict[str, list[int]]") -> None:
        self._table = table
        self._text = "\0".join(("", *table, ""))
        self._all = [n for numbers in table.values() for n in numbers]
        self._shown = [n for name, numbers in table.items() if name[:1] != "." for n in numbers]

    def like(self, part: "Edges", dots: bool) -> "Iterable[int]":
        """What stands under the names that begin and end as a part of a glob does."""
        head, tail = part
        if tail is None:
            return self._table.get(head, ())
        if not (head or tail):
            return self._all if dots else self._shown  # else a star would have to match the dot
        if f"\0{head}" not in self._text or f"{tail}\0" not in self._text:
            return ()
        found = [n for n in self._table if n.startswith(head) and n.endswith(tail)]
        return [n for name in found if dots or head or name[:1] != "." for n in self._table[name]]
