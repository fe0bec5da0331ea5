"""Other names of paths: those that they have through links, and as directories of PATH."""

import os
from _collections_abc import Iterable

from execpolicy.places.walk import walk
from execpolicy.support.path_match import below

MAX_NAMES = 8
"""Other names of one path. A link to a directory above it gives it as many as one likes."""


class Aliases:
    """Real paths, each with a name by which what is there and below it is reached, too.

    A real path need not be there yet. `complete`: no other link counts any more. What a run makes
    under a name that is new is moved away, and leads nowhere then.
    """

    def __init__(self, known: "Iterable[tuple[str, str]]" = ()) -> None:
        self._known = dict.fromkeys(known)
        self._begin = tuple({real for real, _ in self._known})
        self._names = {name for _, name in self._known}
        self.complete = False

    @property
    def known(self) -> tuple[tuple[str, str], ...]:
        """The real paths with their names, in the order in which they became known."""
        return tuple(self._known)

    def add(self, real: str, name: str) -> bool:
        """Take up a name of a real path; whether it is new."""
        if real == name or (real, name) in self._known:
            return False
        self._known[(real, name)] = None
        self._begin = (*self._begin, real)
        self._names.add(name)
        return True

    def counts(self, name: str) -> bool:
        """Whether a link of this name may lead to something protected."""
        return not self.complete or name in self._names

    def of(self, path: str) -> "list[str]":
        """The other names of a path, those that it has through several links too."""
        if not path.startswith(self._begin):
            return []
        found = [path]
        for one in found:
            for real, name in self._known:
                other = name + one[len(real.rstrip("/")) :] if below(one, real) else one
                if other not in found and len(found) <= MAX_NAMES:
                    found.append(other)
        return found[1:]


def links_on(path: str) -> "list[str]":
    """The links on the way to a path, each where it really stands."""
    found = []

    def read(at: str) -> str:
        target = os.readlink(at)
        found.append(at)
        return target

    walk(path, read)
    return found
