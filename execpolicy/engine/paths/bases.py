"""The base class of a path: what kind of directory it lies in."""

from execpolicy.engine.paths.whereabouts import Whereabouts
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
from execpolicy.support.path_match import PathPattern, below
from execpolicy.support.record import Value

Added = tuple[str, PlaceRule | None]
"""A directory that is a project too, and the line that says so; the host says so without."""


class Base(Value):
    """A base class and the line that gave it, where one did."""

    place: str
    rule: PlaceRule | None = None


class Bases:
    """The base classes of the paths of one request."""

    __slots__ = ("_homes", "_index", "_known", "_roots", "_where")

    def __init__(self, index: PlaceIndex, where: "Whereabouts") -> None:
        self._index = index.bases
        self._where = where
        self._known: dict[str, Base] = {}
        self._homes: tuple[str, ...] | None = None
        self._roots: tuple[Added, ...] | None = None

    def of(self, path: str) -> Base:
        """The class of a real path."""
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = self._find(path)
        return found

    def _find(self, path: str) -> Base:
        root = self._where.root
        if root is not None and root.project and below(path, root.path):
            return self._in_project(path, root.path)
        for directory, rule in self._added():
            if below(path, directory) and not (rule and self._is_excepted(path, rule)):
                return self._in_project(path, directory, rule)
        for home in self._own_homes():
            if below(path, home):
                return self._in_home(path, home)
        top = self._temporary(path)
        if top is not None:
            return Base(REPOSITORIES if self._has_repository(path, top) else TEMPORARY)
        return self._named(path, None, (TOOLS, PERSONAL)) or Base(SYSTEM)

    def _in_project(self, path: str, root: str, rule: PlaceRule | None = None) -> Base:
        made = self._index.generated(path, root)
        if made is None or self._where.resolver.tracks(made[0]):
            return Base(PROJECT, rule)
        return Base(GENERATED, made[1])

    def _added(self) -> "tuple[Added, ...]":
        """The projects beside the session's own, of the user's rules and of the host. No home and
        no mount point is one, as for the session's root."""
        if self._roots is None:
            said = [*((path, None) for path in self._where.added)]
            found = [
                (self._where.resolver.root(path, None), rule)
                for path, rule in (*self._index.added(self._where.home), *said)
            ]
            self._roots = tuple((r.path, rule) for r, rule in found if r is not None and r.project)
        return self._roots

    def _is_excepted(self, path: str, rule: PlaceRule) -> bool:
        home = self._where.home
        return any(PathPattern(each).matches(path, home, None) for each in rule.unless)

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
        added = (directory for directory, _ in self._added())
        kept = (*self._own_homes(), *((root.path,) if root else ()), *added)
        if any(below(each, path) for each in kept):
            return None
        every = self._where.resolver.temporary()
        return next((top for top in every if path != top and below(path, top)), None)

    def _has_repository(self, path: str, top: str) -> bool:
        """Whether a repository lies between a path and a directory above it."""
        from execpolicy.support.disk.repository import find

        found = find(path, self._where.resolver, bare=False)
        return found is not None and found.top != top and below(found.top, top)
