"""What changes with a path that is written or removed, beside what stands at the path itself."""

import posixpath

from execpolicy.engine.paths.changes.holding import held
from execpolicy.engine.paths.changes.programs import changed, replaced
from execpolicy.engine.paths.touched import Overlay
from execpolicy.model.rule import GENERATED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.engine.paths.changes.relocations import Relocations
    from execpolicy.engine.paths.literal_paths import LiteralPaths


class Changing:
    """What is laid over all that a change touches."""

    __slots__ = ("_changed", "_classes", "_index", "_literal", "_moves", "_where")

    def __init__(self, literal: "LiteralPaths", moves: "Relocations") -> None:
        self._literal = literal
        self._index, self._where, self._classes = literal.index, literal.where, literal.classes
        self._moves = moves
        self._changed: dict[tuple[str, bool], Overlay | None] = {}

    def held(self, path: str, whole: bool) -> "Iterator[Overlay]":
        """Files of the policy that change with a directory."""
        place = self._where.resolver.locate(path)
        return held(place.real or place.lexical, whole, self._index, self._where)

    def program(self, path: str, extent: str, number: int) -> "Iterator[Overlay]":
        """Programs that PATH finds, where they change with this path."""
        key = path, extent == "entry"
        if key not in self._changed:
            self._changed[key] = self._laid(changed(*key, self._where.resolver))
        found = self._changed[key]
        if found is None:
            found = self._laid(replaced(path, number, self._where.resolver, self._moves))
        if found is not None:
            yield found

    def _laid(self, at: str | None) -> Overlay | None:
        """What is laid over a program, if a declaration is about it."""
        where = self._where
        root = where.root.path if where.root else None
        rule = self._index.on_path(at, where.home, root) if at is not None else None
        if rule is None or at is None:
            return None
        return Overlay(rule, at, self._literal.bases.of(at).place == GENERATED)

    def arriving(self, path: str, number: int) -> "Iterator[Overlay]":
        """What becomes of the files that the step puts at this path, or into it under their own
        names."""
        for one in self._moves.arriving(posixpath.normpath(path), number):
            for at in (one.target, *self._literal.copies.of(one.source, one.target)):
                yield from self._classes(at, at)
