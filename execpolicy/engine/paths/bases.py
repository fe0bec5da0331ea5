"""The base class of a path: what kind of directory it lies in."""

from execpolicy.model.rule import (
    GENERATED,
    PERSONAL,
    PROJECT,
    REPOSITORIES,
    SYSTEM,
    TEMPORARY,
    TOOLS,
    PlaceRule,
)
from execpolicy.policy.place_index import PlaceIndex
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.engine.paths.whereabouts import Whereabouts


class Base(Value):
    """A base class and the line that gave it, where one did."""

    place: str
    rule: PlaceRule | None = None


class Bases:
    """The base classes of the paths of one request."""

    __slots__ = ("_homes", "_index", "_known", "_where")

    def __init__(self, index: PlaceIndex, where: "Whereabouts") -> None:
        self._index = index.bases
        self._where = where
        self._known: dict[str, Base] = {}
        self._homes: tuple[str, ...] | None = None

    def of(self, path: str) -> Base:
        """The class of a real path."""
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = self._find(path)
        return found

    def _find(self, path: str) -> Base:
        root = self._where.root
        if root is not None and root.project and below(path, root.path):
            made = self._index.generated(path, root.path)
            if made is not None and not self._where.resolver.tracks(made[0]):
                return Base(GENERATED, made[1])
            return Base(PROJECT)
        for home in self._own_homes():
            if below(path, home):
                return self._in_home(path, home)
        top = self._temporary(path)
        if top is not None:
            return Base(REPOSITORIES if self._has_repository(path, top) else TEMPORARY)
        return self._named(path, None, (TOOLS, PERSONAL)) or Base(SYSTEM)

    def _in_home(self, path: str, home: str) -> Base:
        named = self._named(path, home, (TOOLS,))
        if named is not None:
            return named
        if self._has_repository(path, home):
            return Base(REPOSITORIES)
        return self._named(path, home, (SYSTEM,)) or Base(PERSONAL)

    def _named(self, path: str, home: str | None, places: tuple[str, ...]) -> Base | None:
        for place in places:
            rule = self._index.named(place, path, home)
            if rule is not None:
                return Base(place, rule)
        return None

    def _own_homes(self) -> tuple[str, ...]:
        """The home as it is called, and as it really lies."""
        if self._homes is None:
            home = self._where.home
            real = self._where.resolver.locate(home).real if home else None
            self._homes = tuple(dict.fromkeys(each for each in (home, real) if each))
        return self._homes

    def _temporary(self, path: str) -> str | None:
        """The directory for temporary files that a path lies in, unless more depends on the path:
        the session's root or the home lies below it."""
        root = self._where.root
        kept = (*self._own_homes(), *((root.path,) if root else ()))
        if any(below(each, path) for each in kept):
            return None
        every = self._where.resolver.temporary()
        return next((top for top in every if path != top and below(path, top)), None)

    def _has_repository(self, path: str, top: str) -> bool:
        """Whether a repository lies between a path and a directory above it."""
        from execpolicy.places.repository.repository import find

        found = find(path, self._where.resolver, bare=False)
        return found is not None and found.top != top and below(found.top, top)
