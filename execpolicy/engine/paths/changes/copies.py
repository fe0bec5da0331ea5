"""What the files of a tree become where it is copied or moved to."""

from _collections_abc import Iterable, Iterator

from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.model.place import Below
from execpolicy.policy.place_index import PlaceIndex
from execpolicy.support.path_match import PathPattern

Patterns = tuple[PathPattern, ...]
Named = dict[Patterns, list[str]]
"""What is below a tree, from its slash on, by the patterns that its own names are like."""


class Copies:
    """The trees of one request that are copied, each looked at once."""

    __slots__ = ("_index", "_known", "_unbounded", "_where")

    def __init__(self, index: PlaceIndex, where: Whereabouts) -> None:
        self._index, self._where = index, where
        self._known: dict[str, Named] = {}
        self._unbounded: set[str] = set()

    def files_below(self, source: str) -> list[str]:
        """The files below a tree, each from the slash after its path on."""
        return [rest for rests in self._files_below(source).values() for rest in rests]

    def is_unbounded(self, source: str) -> bool:
        """Whether a tree has more files than are looked at."""
        self._files_below(source)
        return source in self._unbounded

    def of(self, source: str, target: str) -> "Iterator[str]":
        """The paths below a target that may have a class, once the tree is there."""
        found = self._files_below(source)
        if not found:
            return
        location = self._where.location(target)

        def may_lie(patterns: "Iterable[PathPattern]") -> bool:
            return any(pattern.may_lie_below(location) for pattern in patterns)

        every = may_lie(self._index.near(target))
        for near, rests in found.items():
            if every or may_lie(near):
                yield from (target + rest for rest in rests)

    def _files_below(self, source: str) -> "Named":
        found = self._known.get(source)
        if found is None:
            found = self._known[source] = {}
            below = self._where.resolver.below(source, False, False)
            if below is None and self._where.resolver.kind(source) == "directory":
                self._unbounded.add(source)
            for path in (below or Below()).files:
                rest = path[len(source) :]
                found.setdefault(self._index.near(rest), []).append(rest)
        return found
