"""What the files of a tree become where it is copied or moved to."""

from _collections_abc import Iterable, Iterator

from execpolicy.model.place import Below
from execpolicy.support.path_match import PathPattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.engine.paths.literal_paths import LiteralPaths

Named = tuple[tuple[str, tuple[PathPattern, ...]], ...]
"""What is below a tree, from its slash on, with the patterns that its own names are like."""


class Copies:
    """The trees of one request that are copied, each looked at once."""

    __slots__ = ("_known", "_literal")

    def __init__(self, literal: "LiteralPaths") -> None:
        self._literal = literal
        self._known: dict[str, Named] = {}

    def files_below(self, source: str) -> list[str]:
        """The files below a tree, each from the slash after its path on."""
        return [rest for rest, _ in self._files_below(source)]

    def of(self, source: str, target: str) -> "Iterator[str]":
        """The paths below a target that may have a class, once the tree is there."""
        found = self._files_below(source)
        if not found:
            return
        location = self._literal.location(target)

        def may_lie(patterns: "Iterable[PathPattern]") -> bool:
            return any(pattern.may_lie_below(location) for pattern in patterns)

        every = may_lie(self._literal.index.near(target))
        lying = {near: every or may_lie(near) for near in {near for _, near in found}}
        for rest, near in found:
            if lying[near]:
                yield target + rest

    def _files_below(self, source: str) -> "Named":
        found = self._known.get(source)
        if found is None:
            where, near = self._literal.where, self._literal.index.near
            found_below = where.resolver.below(source, visible=False) or Below()
            rests = [path[len(source) :] for path in found_below.files]
            found = self._known[source] = tuple((rest, near(rest)) for rest in rests)
        return found
