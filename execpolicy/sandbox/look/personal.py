"""What of homes and mounts is personal: it is not there in a sandbox, unless something needs it."""

import os

from execpolicy.model.rule import PERSONAL, SYSTEM, TOOLS
from execpolicy.sandbox.walls import Wall, Walled
from execpolicy.support import directories
from execpolicy.support.path_match import below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.policy.base_places import BasePlaces

DEPTH = 3
MAX_DIRECTORIES = 1_000
_REWRITTEN = ("_history", "/.histfile", "/.viminfo", "/.lesshst", "/.claude.json", "/.Xauthority")
MAX_SINGLE = 12
"""Entries beside kept ones that are hidden one by one; where there are more, what is kept is
seen again in a directory that is hidden as a whole."""


class Personal:
    """Looks through a home and the directories of mounts, a few levels deep.

    `kept` are paths that stay as they are: the session's root, git directories, directories of
    programs.
    """

    __slots__ = ("_bases", "_home", "_kept", "_left", "_own")

    def __init__(self, bases: "BasePlaces", home: str, kept: tuple[str, ...]) -> None:
        self._bases, self._home, self._kept = bases, home, kept
        self._left = MAX_DIRECTORIES
        # What this program keeps there changes with each run, and holds nothing that stays seen.
        self._own = (os.path.dirname(directories.cache()), directories.state())

    def walls(self) -> "Iterator[Walled]":
        """What hides all that is personal."""
        yield from self._inside(self._home, 0)
        for path in self._others():
            if not below(self._home, path):
                yield from self._entry(path, 0)

    def _others(self) -> "Iterator[str]":
        """The homes of others, and what mounts lie in, that are there and hold something."""
        for rule in self._bases.rules:
            for path in rule.paths if rule.place == PERSONAL else ():
                directory = path.removesuffix("/*")
                if os.path.isdir(directory) and not os.path.islink(directory) and _names(directory):
                    if below(self._home, directory) and directory != self._home:
                        others = (f"{directory}/{name}" for name in _names(directory))
                        yield from (p for p in others if not below(self._home, p))
                    else:
                        yield directory

    def _inside(self, directory: str, depth: int) -> "Iterator[Walled]":
        """The walls of what a directory holds, which is itself seen."""
        for name in _names(directory):
            yield from self._entry(f"{directory}/{name}", depth)

    def _entry(self, path: str, depth: int) -> "Iterator[Walled]":
        if os.path.islink(path) or self._is_kept(path):
            return
        if os.path.isdir(path):
            yield from self._directory(path, depth)
        else:
            yield Walled(path, Wall.HIDDEN, "personal", directory=False)

    def _directory(self, path: str, depth: int) -> "Iterator[Walled]":
        kept = [*self._found(path, depth)]
        if not kept:
            if os.access(path, os.R_OK):
                yield Walled(path, Wall.HIDDEN, "personal")
            return
        inner = [*self._inside(path, depth + 1)]
        if len(inner) <= MAX_SINGLE:
            yield from inner
            return
        yield Walled(path, Wall.HIDDEN, "personal")
        yield from (Walled(one, Wall.READ, "needed", fallback=True) for one in kept)

    def _found(self, directory: str, depth: int) -> "Iterator[str]":
        """What is kept below a directory, the topmost of each."""
        self._left -= 1
        for one in self._kept:
            if below(one, directory):
                yield one
        if (
            directory in self._own
            or depth >= DEPTH
            or self._left < 0
            or not below(directory, self._home)
        ):
            return
        for name in _names(directory):
            path = f"{directory}/{name}"
            if os.path.islink(path) or not os.path.isdir(path):
                continue
            if self._is_kept(path):
                yield path
            else:
                yield from self._found(path, depth + 1)

    def _is_kept(self, path: str) -> bool:
        """Whether a path is no personal one: needed, or in the own home a repository, a tool's or
        the system's."""
        if path in self._kept:
            return True
        if not below(path, self._home):
            return False
        if os.path.lexists(f"{path}/.git"):
            return True
        places = (TOOLS, SYSTEM)
        return any(self._bases.named(place, path, self._home) is not None for place in places)


def is_rewritten(path: str) -> bool:
    """Whether programs put a new file in the place of this one all the time: no run would last."""
    return path.endswith(_REWRITTEN)


def _names(directory: str) -> "list[str]":
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []
