"""What changes with a path that is written or removed, beside what stands at the path itself."""

import posixpath

from execpolicy.engine.paths.changes.holding import held
from execpolicy.engine.paths.changes.programs import changed
from execpolicy.engine.paths.touched import Overlay
from execpolicy.model.rule import GENERATED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.engine.paths.changes.relocations import Relocations
    from execpolicy.engine.paths.literal_paths import LiteralPaths


class Changing:
    """What is laid over all that a change touches."""

    __slots__ = ("_classes", "_index", "_literal", "_moves", "_where")

    def __init__(self, literal: "LiteralPaths", moves: "Relocations") -> None:
        self._literal = literal
        self._index, self._where, self._classes = literal.index, literal.where, literal.classes
        self._moves = moves

    def held(self, path: str, whole: bool) -> "Iterator[Overlay]":
        """Files of the policy that change with a directory."""
        place = self._where.resolver.locate(path)
        return held(place.real or place.lexical, whole, self._index, self._where)

    def program(self, path: str, extent: str, number: int) -> "Iterator[Overlay]":
        """Programs that PATH finds, where they change with this path."""
        where = self._where
        root = where.root.path if where.root else None
        at = changed(path, extent == "entry", number, where.resolver, self._moves)
        rule = self._index.on_path(at, where.home, root) if at is not None else None
        if rule is not None and at is not None:
            yield Overlay(rule, at, self._literal.bases.of(at).place == GENERATED)

    def arriving(self, path: str, number: int) -> "Iterator[Overlay]":
        """What becomes of the files that the step puts at this path, or into it under their own
        names."""
        for one in self._moves.arriving(posixpath.normpath(path), number):
            for at in (one.target, *self._literal.copies.of(one.source, one.target)):
                yield from self._classes(at, at)
