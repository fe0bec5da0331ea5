"""What lies at a path that an operation touches: its class, and what is laid over it."""

from execpolicy.engine.paths.bases import Base
from execpolicy.engine.paths.literal_paths import LiteralPaths
from execpolicy.engine.paths.touched import Touched, touched
from execpolicy.model.operation import Access
from execpolicy.model.rule import ELSEWHERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.engine.paths.changes.relocations import Relocations
    from execpolicy.engine.paths.possible_paths import PossiblePaths
    from execpolicy.engine.paths.whereabouts import Whereabouts
    from execpolicy.policy.place_index import PlaceIndex

_ANCHORS = ("~", "")
NOTHING = Touched((), ())
_NEAR = frozenset(("file", "names"))
_ONE_PATH = frozenset(("file", "names", "entry"))
_UNMOVED = frozenset(("below", "edited", "restored", "names"))
"""Extents of accesses to which it is all the same what other steps put at a path."""


class Overlays:
    """The classes of the paths of one request."""

    __slots__ = ("_known", "_literal", "_moves", "_possible", "_turned")

    def __init__(
        self,
        index: "PlaceIndex",
        where: "Whereabouts",
        moves: "Callable[[], Relocations]",
    ) -> None:
        self._literal = LiteralPaths(index, where)
        self._moves = moves
        self._possible: PossiblePaths | None = None
        self._turned: bool | None = None
        self._known: dict[tuple[int, int], tuple[Access, Touched]] = {}

    def by(self, index: "PlaceIndex") -> "Overlays":
        """The same paths with other classes laid over them."""
        return Overlays(index, self._literal.where, self._moves)

    def absolute(self, path: str, number: int) -> tuple[str, ...]:
        """A literal path from each directory where the step may run."""
        return tuple(self._literal.where.absolute(path, number))

    def of(self, access: Access, number: int) -> Touched:
        """What an access of this step touches."""
        key = id(access), number  # which is its own as long as the entry keeps it
        if key not in self._known:
            found = self._near(access, number) or self._all.of(access, number)
            if access.extent not in _UNMOVED and self._moved:
                found = self._all.relocated(found, access, number)
            self._known[key] = access, found
        return self._known[key][1]

    @property
    def _moved(self) -> bool:
        """Whether some step may put something where another one finds it."""
        if self._turned is None:
            self._turned = len(self._literal.where.steps) > 1 and bool(self._moves())
        return self._turned

    @property
    def _all(self) -> "PossiblePaths":
        """The same for what few commands name: globs, trees, computed paths, what is changed."""
        if self._possible is None:
            from execpolicy.engine.paths.possible_paths import PossiblePaths

            self._possible = PossiblePaths(self._literal, self._moves)
        return self._possible

    def _near(self, access: Access, number: int) -> Touched | None:
        """The same for what most accesses are: one file, by a literal name, that is read, or of
        which only rules are asked."""
        path, index = access.path, self._literal.index
        reads = access.mode == "read"
        if not isinstance(path, str) or path[:1] in _ANCHORS or access.source is not None:
            return None
        is_absolute = path[:1] == "/"
        if is_absolute and "proc/" in path:
            return None
        if access.extent not in (_NEAR if reads else _ONE_PATH) or not (reads or index.by_entry):
            return None
        directories = ("/",) if is_absolute else self._literal.where.of(number, path == ".")
        if directories is None or len(directories) != 1:
            return None
        absolute = path if is_absolute else f"{directories[0].rstrip('/')}/{path}"
        wanted = index.counted(access.mode, access.extent)
        place = self._literal.where.resolver.locate(absolute)
        real = place.real
        known = real is not None and not place.problem
        lexical, home = place.lexical, self._literal.where.home
        passed = known and index.passes_over(lexical, access.mode, home)
        if passed and (real == lexical or index.passes_over(real or "", access.mode, home)):
            settled = real == lexical and not access.follows
            return NOTHING if reads or (settled and not self._moves()) else None
        if not reads:
            return None
        if not wanted:
            return Touched((Base(ELSEWHERE) if real is None else self._literal.bases.of(real),), ())
        found = self._literal.place(absolute)
        return touched(found.bases, found.overlays, wanted)
