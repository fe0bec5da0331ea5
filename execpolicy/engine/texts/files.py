"""Looks at the files that say what is run: small ones of the project, none of them a link."""

import posixpath

from execpolicy.support.path_match import below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.places.resolver import Resolver


class ProjectFiles:
    """The files below a root. `seen` are the paths that were looked at, whether anything is there
    or not: what is run may be another thing once one of them changes."""

    def __init__(self, resolver: "Resolver", root: str) -> None:
        self.resolver = resolver
        self.root = root
        self.seen: dict[str, None] = {}

    def text(self, path: str) -> str | None:
        """The text of a file; None where it is not known as a whole."""
        is_own = below(path, self.root) and self._is_itself(path)
        return self.resolver.text(path) if is_own else None

    def is_missing(self, path: str) -> bool:
        """Whether nothing is at a path, not even a link."""
        return self._is_itself(path) and self.resolver.kind(path) == "missing"

    def lacks(self, directory: str, names: "Iterable[str]") -> bool:
        """Whether none of these is in a directory."""
        return all(self.is_missing(posixpath.join(directory, name)) for name in names)

    def sets_only(self, directory: str, names: "Iterable[str]", keys: frozenset[str]) -> bool:
        """Whether each of these files that is in a directory has values for such keys alone."""
        every = [posixpath.join(directory, name) for name in names]
        return all(self.is_missing(path) or self._has_only(path, keys) for path in every)

    def _has_only(self, path: str, keys: frozenset[str]) -> bool:
        text = self.resolver.text(path) if keys and self._is_itself(path) else None
        lines = [] if text is None else [line.strip() for line in text.split("\n")]
        settings = [line for line in lines if line and line[0] not in "#;"]
        named = [line.partition("=")[0].strip() for line in settings]
        return text is not None and all(key in keys or key[:2] == "//" for key in named)

    def only(self, directory: str, names: "Iterable[str]") -> str | None:
        """The one of these that a directory has; empty where it has none, None where more."""
        every = [posixpath.join(directory, name) for name in sorted(names)]
        there = [path for path in every if not self.is_missing(path)]
        return None if len(there) > 1 else "".join(there)

    def _is_itself(self, path: str) -> bool:
        self.seen[path] = None
        place = self.resolver.locate(path)
        return place.real == path and place.problem is None
