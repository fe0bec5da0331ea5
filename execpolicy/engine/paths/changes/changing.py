"""What changes with a path that is written or removed, beside what stands at the path itself."""

from _collections_abc import Iterator

from execpolicy.engine.paths.changes.holding import held
from execpolicy.engine.paths.changes.programs import above, changed
from execpolicy.engine.paths.changes.relocations import Relocations
from execpolicy.engine.paths.literal_paths import LiteralPaths
from execpolicy.engine.paths.touched import Overlay
from execpolicy.model.rule import GENERATED
from execpolicy.support.path_match import normal


class Changing:
    """What is laid over all that a change touches."""

    __slots__ = (
        *("_arriving", "_changed", "_classes", "_held", "_index", "_literal", "_moves", "_pairs"),
        "_where",
    )

    def __init__(self, literal: "LiteralPaths", moves: "Relocations") -> None:
        self._literal = literal
        self._index, self._where, self._classes = literal.index, literal.where, literal.classes
        self._moves = moves
        self._held: dict[tuple[str, bool], tuple[Overlay, ...]] = {}
        self._changed: dict[tuple[str, bool], tuple[str | None, tuple[str, ...]]] = {}
        self._arriving: dict[tuple[str, int], tuple[Overlay, ...]] = {}
        self._pairs: dict[tuple[str, str], tuple[Overlay, ...]] = {}

    def held(self, path: str, whole: bool) -> tuple[Overlay, ...]:
        """Files of the policy that change with a directory."""
        key = path, whole
        if key not in self._held:
            place = self._where.resolver.locate(path)
            found = held(place.real or place.lexical, whole, self._index, self._where)
            self._held[key] = tuple(found)
        return self._held[key]

    def program(self, path: str, extent: str, number: int) -> "Iterator[Overlay]":
        """Programs that PATH finds, where they change with this path."""
        where, key, here = self._where, (path, extent == "entry"), normal(path)
        if key not in self._changed:
            found = changed(*key, where.resolver)
            self._changed[key] = found, () if found else above(here, where.resolver)
        at, others = self._changed[key]
        at = at or next((one for one in others if self._moves.brings(here, one, number)), None)
        root = where.root.path if where.root else None
        rule = self._index.on_path(at, where.home, root) if at is not None else None
        if rule is not None and at is not None:
            yield Overlay(rule, at, self._literal.bases.of(at).place == GENERATED)

    def arriving(self, path: str, number: int) -> "tuple[Overlay, ...]":
        """What becomes of the files that the step puts at this path, or into it under their own
        names: of those that are there, and of those that other steps put there."""
        asked = normal(path), number
        if asked not in self._arriving:
            trees = [self._moves.trees(one) for one in self._moves.arriving(*asked)]
            pairs = {pair: None for each in trees for pair in each}
            found = {overlay: None for pair in pairs for overlay in self._brought(*pair)}
            self._arriving[asked] = tuple(found)
        return self._arriving[asked]

    def _brought(self, source: str, target: str) -> "tuple[Overlay, ...]":
        """What the files of a tree become at a target; worked out once for all steps."""
        pair = source, target
        if pair not in self._pairs:
            self._pairs[pair] = tuple(self._bring(source, target))
        return self._pairs[pair]

    def _bring(self, source: str, target: str) -> "Iterator[Overlay]":
        for at in (target, *self._literal.copies.of(source, target)):
            yield from self._classes(at, at)
        if self._literal.copies.is_unbounded(source):
            yield from self._literal.any_class(target)
        filled = self._moves.is_filled(source)
        if not filled and not self._moves.is_made_below(source):
            return
        steered = [*self._literal.unknown_below(target)]
        yield from steered if filled else ()
        for rest in self._moves.made_below(source) if steered else ():
            yield from self._classes(target + rest, target + rest)
