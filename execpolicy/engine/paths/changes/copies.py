"""What the files of a tree become where it is copied or moved to."""

from _collections_abc import Iterable, Iterator

from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.model.place import Below
from execpolicy.policy.folding import fold
from execpolicy.policy.place_index import PlaceIndex
from execpolicy.support.path_match import HOMES, PathPattern

Named = tuple[tuple[str, tuple[PathPattern, ...]], ...]
"""What is below a tree, from its slash on, with the patterns that its own names are like."""

_HOMES = frozenset(("", *(fold(names[0]) for names in HOMES)))
"""Where the homes of users are: which one `~` is for a pattern does not matter there."""


class Copies:
    """The trees of one request that are copied, each looked at once."""

    __slots__ = ("_index", "_known", "_where")

    def __init__(self, index: PlaceIndex, where: Whereabouts) -> None:
        self._index = index
        self._where = where
        self._known: dict[str, Named] = {}

    def files_below(self, source: str) -> list[str]:
        """The files below a tree, each from the slash after its path on."""
        return [rest for rest, _ in self._files_below(source)]

    def of(self, source: str, target: str) -> "Iterator[str]":
        """The paths below a target that may have a class, once the tree is there."""
        found = self._files_below(source)
        every = bool(found) and self._may_lie(self._index.near(target), target)
        for rest, near in found:
            if every or self._may_lie(near, target):
                yield target + rest

    def _files_below(self, source: str) -> "Named":
        found = self._known.get(source)
        if found is None:
            found_below = self._where.resolver.below(source, visible=False) or Below()
            rests = [path[len(source) :] for path in found_below.files]
            found = self._known[source] = tuple((rest, self._index.near(rest)) for rest in rests)
        return found

    def _may_lie(self, patterns: "Iterable[PathPattern]", target: str) -> bool:
        root, home = self._where.root, self._where.home
        above, here = fold(target), fold(root.path) if root else None
        own = fold(home) if home and above.split("/")[1] not in _HOMES else None
        return any(pattern.may_lie_below(above, own, here) for pattern in patterns)
