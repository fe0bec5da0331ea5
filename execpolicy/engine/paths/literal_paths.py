"""What lies at one literal path: its base class, and what is laid over it.

The text of a path and the place where it really leads are both judged, and the stricter counts.
"""

import posixpath

from execpolicy.engine.paths.bases import Base, Bases
from execpolicy.engine.paths.touched import Overlay, Touched, by_class
from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.model.rule import ELSEWHERE
from execpolicy.policy.place_index import PlaceIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from execpolicy.engine.paths.changes.copies import Copies
    from execpolicy.engine.paths.changes.relocations import Relocations
    from execpolicy.model.rule import PlaceRule
    from execpolicy.support.path_match import PathPattern

_CONFIGURATIONS = ("/.git/config", "/.git/config.worktree", "/.gitconfig", "/.config/git/config")
"""Files of git's configuration (git-config(1), FILES)."""


class LiteralPaths:
    """The classes of absolute paths, for one request."""

    __slots__ = ("_classes", "_copies", "_places", "_relocations", "bases", "index", "where")

    def __init__(self, index: PlaceIndex, where: Whereabouts) -> None:
        self.index = index
        self.where = where
        self.bases = Bases(index, where)
        self._places: dict[tuple[str, bool], Touched] = {}
        self._classes: dict[str, list[PlaceRule]] = {}
        self._copies: Copies | None = None
        self._relocations: Relocations | None = None

    def place(self, path: str, removing: bool = False) -> Touched:
        """The base class of an absolute path, and what lies over its text and its real place.

        Of a link that is removed, its own place is what counts. A path is looked at once.
        """
        key = path, removing
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = self._classify(path, removing)
        return found

    def _classify(self, path: str, removing: bool) -> Touched:
        place = self.where.resolver.locate(path)
        overlays = self.classes(place.lexical, path)
        if place.real is None:
            return Touched((Base(ELSEWHERE),), tuple(overlays))
        if place.problem:
            return self._of_process(place.real, path, removing, overlays)
        real = place.real
        entry = self._entry(path) or real if removing else real
        for laid in (real,) if entry == real else (real, entry):
            found = self.classes(laid, f"{path} → {laid}") if laid != place.lexical else []
            overlays += found if laid == entry else by_class(found)  # a rule is about the entry
        return Touched((self.bases.of(entry),), tuple(overlays))

    @property
    def copies(self) -> "Copies":
        """The trees that the request copies."""
        if self._copies is None:
            from execpolicy.engine.paths.changes.copies import Copies

            self._copies = Copies(self.index, self.where)
        return self._copies

    @property
    def relocations(self) -> "Relocations":
        """What the steps of the request put where before others find it there."""
        if self._relocations is None:
            from execpolicy.engine.paths.changes.relocations import Relocations

            self._relocations = Relocations(self.where)
        return self._relocations

    def _of_process(
        self, real: str, path: str, removing: bool, overlays: "list[Overlay]"
    ) -> Touched:
        """The same for a path that leads into a process: to its root, its directory, its files."""
        direct = self.where.direct(real)
        if direct != real:
            found = self.place(direct, removing)
            return found.replace(overlays=(*overlays, *found.overlays))
        overlays += self.classes(real, f"{path} → {real}")
        from execpolicy.places.process import is_below_descriptor

        if is_below_descriptor(path) or is_below_descriptor(real):
            every = self.everything(path)
            overlays += [overlay.replace(path=path, open=True) for overlay in every]
        return Touched((self.bases.of(real),), tuple(overlays))

    def _entry(self, path: str) -> str | None:
        """Where a name itself stands, not where it leads."""
        directory, _, name = path.rpartition("/")
        if name in ("", ".", ".."):
            return None
        above = self.where.resolver.locate(directory or "/").real
        return above and posixpath.join(above, name)

    def classes(self, path: str, shown: str) -> list[Overlay]:
        """What is laid over a path, which is shown otherwise."""
        if path not in self._classes:
            root = self.where.root
            found = self.index.of(path, self.where.home, root.path if root else None)
            if path.lower().endswith(_CONFIGURATIONS):
                found = [*found, *self._by_content(path)]
            self._classes[path] = found
        found = self._classes[path]
        return [Overlay(rule, shown) for rule in found] if found else []

    def _by_content(self, path: str) -> "Iterator[PlaceRule]":
        """The declaration of credentials, for a configuration of git that holds a key."""
        from execpolicy.engine.paths.reach.kept_keys import holds_key

        if holds_key(path, self.where.resolver):
            yield from [rule for rule in self.index.rules if rule.place == "credentials"][:1]

    def among(self, paths: "Sequence[str]") -> "Iterator[Overlay]":
        """What is laid over any of these paths."""
        for path in self.index.telling(paths, self.where.taken_apart):
            yield from self.classes(path, path)

    def everything(self, path: str) -> "Iterator[Overlay]":
        """What is sought, of which there may be some anywhere below a path."""
        return self.anywhere(path, lambda _: True)

    def unknown_below(self, path: str) -> "Iterator[Overlay]":
        """The classes that files of any name may have below a path, because it is called so."""
        root = self.where.root
        for rule in self.index.below_name(path, self.where.home, root.path if root else None):
            yield Overlay(rule, f"{path}, with all below it", within=True)

    def any_class(self, path: str) -> "Iterator[Overlay]":
        """The first declaration of each class: a path may be of any."""
        first = {rule.place: rule for rule in reversed(self.index.rules)}
        return (Overlay(rule, path, open=True) for rule in first.values())

    def anywhere(self, path: str, is_meant: "Callable[[PathPattern], bool]") -> "Iterator[Overlay]":
        """The first of each class that is sought, of those that may lie below a path."""
        location = self.where.location(path)
        for place in self.index.sought:
            for pattern, rule in self.index.literals(place):
                if is_meant(pattern) and pattern.may_lie_below(location):
                    yield Overlay(rule, f"{path}, with all below it", within=True)
                    break
