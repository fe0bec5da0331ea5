"""What lies at a path that an operation touches: its class, and what is laid over it."""

from execpolicy.engine.paths.bases import Base
from execpolicy.engine.paths.literal_paths import LiteralPaths
from execpolicy.engine.paths.touched import Touched, by_class, touched
from execpolicy.model.operation import Access
from execpolicy.model.rule import ELSEWHERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.engine.paths.changes.relocations import Relocations
    from execpolicy.engine.paths.possible_paths import PossiblePaths
    from execpolicy.engine.paths.touched import Overlay
    from execpolicy.engine.paths.whereabouts import Whereabouts
    from execpolicy.policy.ruled_places import RuledPlaces

_ANCHORS = ("~", "")
_NEAR, _HERE = frozenset(("file", "names")), frozenset(("file", "entry"))
_UNMOVED = frozenset(("below", "edited", "restored", "names"))
"""Extents of accesses to which it is all the same what other steps put at a path."""


class Overlays:
    """The classes of the paths of one request, and the rules about them."""

    __slots__ = ("_index", "_known", "_literal", "_possible", "_turned")

    def __init__(self, index: "RuledPlaces", where: "Whereabouts") -> None:
        self._index = index
        self._literal = LiteralPaths(index, where)
        self._possible: PossiblePaths | None = None
        self._turned: bool | None = None
        self._known: dict[tuple[int, int], tuple[Access, Touched, tuple[Overlay, ...]]] = {}

    @property
    def relocations(self) -> "Relocations":
        """What the steps of the request put where before others find it there."""
        return self._literal.relocations

    def absolute(self, path: str, number: int) -> tuple[str, ...]:
        """A literal path from each directory where the step may run."""
        return tuple(self._literal.where.absolute(path, number))

    def of(self, access: Access, number: int) -> Touched:
        """What an access of this step touches."""
        return self._of(access, number)[1]

    def ruling(self, access: Access, number: int) -> "tuple[Overlay, ...]":
        """The rules about what an access of this step touches, each as it is laid over a path."""
        return self._of(access, number)[2]

    def _of(self, access: Access, number: int) -> "tuple[Access, Touched, tuple[Overlay, ...]]":
        key = id(access), number  # which is its own as long as the entry keeps it
        known = self._known.get(key)
        if known is None:
            found = self._near(access, number) or self._all.of(access, number)
            if access.extent not in _UNMOVED and self._moved:
                found = self._all.relocated(found, access, number)
            ruling: tuple[Overlay, ...] = ()
            if found.overlays:
                ruling = tuple([each for each in found.overlays if not each.is_class])
            if ruling:
                found = found.replace(overlays=tuple(by_class(found.overlays)))
            known = self._known[key] = access, found, ruling
        return known

    @property
    def _moved(self) -> bool:
        """Whether some step may put something where another one finds it."""
        if self._turned is None:
            self._turned = len(self._literal.where.steps) > 1 and bool(self.relocations)
        return self._turned

    @property
    def _all(self) -> "PossiblePaths":
        """The same for what few commands name: globs, trees, computed paths, what is changed."""
        if self._possible is None:
            from execpolicy.engine.paths.possible_paths import PossiblePaths

            self._possible = PossiblePaths(self._literal)
        return self._possible

    def _near(self, access: Access, number: int) -> Touched | None:
        """The same for most accesses: one file, by a literal name, that is read, or code of
        the directory where the command runs."""
        path, runs = access.path, access.mode == "execute" and access.path == "."
        if not (runs or access.mode == "read") or access.extent not in (_HERE if runs else _NEAR):
            return None
        if not isinstance(path, str) or path[:1] in _ANCHORS or access.source is not None:
            return None
        is_absolute = path[:1] == "/"
        if is_absolute and "proc/" in path:
            return None
        directories = ("/",) if is_absolute else self._literal.where.of(number, path == ".")
        if directories is None or len(directories) != 1:
            return None
        absolute = path if is_absolute else f"{directories[0].rstrip('/')}/{path}"
        if access.extent == "names":
            place = self._literal.where.resolver.locate(absolute)
            real, is_listed = place.real or place.lexical, self._index.is_listed
            if not (place.problem or is_listed(place.lexical) or is_listed(real)):
                base = self._literal.bases.of(real) if place.real else Base(ELSEWHERE)
                return Touched((base,), ())
        found = self._literal.place(absolute, runs)
        wanted = self._index.counted(access.mode, access.extent)
        return touched(found.bases, found.overlays, wanted)
