"""Beginnings of patterns, found by the last names of a directory that is one of them."""

from _collections_abc import Iterable, Iterator

from execpolicy.model.rule import PlaceRule
from execpolicy.support.path_match import Location, PathPattern


class Heads:
    """The beginnings of patterns. Never changed once made; safe to share between threads."""

    __slots__ = ("_begun", "_every", "_inside", "_named", "_others", "_texts")

    def __init__(self, patterns: "Iterable[tuple[PathPattern, PlaceRule]]") -> None:
        self._every: list[tuple[PathPattern, PlaceRule]] = []
        self._named: dict[str, list[int]] = {}
        """By the last name, else by that of the directory which any name is in."""
        self._inside: dict[str, list[int]] = {}
        self._begun: list[tuple[str, int]] = []
        self._others: list[int] = []
        for pattern, rule in patterns:
            for at, last in enumerate(pattern.parts[:-1]):
                if last != "**":
                    self._add(pattern.parts[at - 1] if at else "*", last)
                    self._every.append((pattern.begun(at + 1), rule))
        self._texts = tuple({text for text, _ in self._begun})

    def _add(self, above: str, last: str) -> None:
        number, beginning = len(self._every), last.partition("*")[0].partition("?")[0]
        if beginning == last:
            self._named.setdefault(last, []).append(number)
        elif beginning:
            self._begun.append((beginning, number))
        elif "*" in above or "?" in above:
            self._others.append(number)
        else:
            self._inside.setdefault(above, []).append(number)

    def of(self, location: Location) -> "Iterator[PlaceRule]":
        """The declarations about what may lie below a path because of how it is called: `.vscode`
        of `.vscode/tasks.json`."""
        above, _, name = location.path.rpartition("/")
        found = [*self._named.get(name, ()), *self._others]
        found += self._inside.get(above.rpartition("/")[2], ())
        if name.startswith(self._texts):
            found += [number for text, number in self._begun if name.startswith(text)]
        for number in sorted(found):
            pattern, rule = self._every[number]
            if pattern.is_at(location):
                yield rule
