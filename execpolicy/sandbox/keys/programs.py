"""Programs that no sandbox can write: only these are given a key, or asked for one."""

import os
import sys
from _collections_abc import Iterator

from execpolicy.sandbox.keys.opening import NoKeyError
from execpolicy.sandbox.walls import Mount, Wall, wall_at
from execpolicy.support.path_match import below

MAX_LINKS = 40
"""Links that the kernel follows on one way (path_resolution(7))."""
_KEPT = (Wall.READ, Wall.COVERED, Wall.HIDDEN, Wall.PRIVATE)
"""What nothing inside can change: a private directory is another one inside."""


class Programs:
    """The programs of PATH, by what the mounts of an ordinary run let it write."""

    __slots__ = ("_every", "_mounts", "_written", "path")

    def __init__(self, path: str, mounts: tuple[Mount, ...], root: str) -> None:
        self._mounts = mounts
        self._written = (root, *(m.path for m in mounts if m.wall is Wall.WRITE))
        self._every = [*dict.fromkeys(path.split(":"))]
        kept = (d for d in self._every if d[:1] == "/" and os.path.isdir(d) and self.is_kept(d))
        self.path = ":".join(kept)

    def named(self, name: str) -> str:
        """The path of a program. Raises `NoKeyError` where none is certain to be the user's.

        One that can be written and comes first is not passed over: it is what the name means.
        """
        if "/" in name:
            raise NoKeyError(f"`{name}` is not a name of a program that PATH finds")
        for directory in self._every:
            path = os.path.join(directory or ".", name)
            if os.access(path, os.X_OK) and not os.path.isdir(path):
                if path[:1] != "/" or not self.is_kept(path):
                    break
                return path
        raise NoKeyError(f"`{name}` is a program that a sandbox may write, or is not on PATH")

    def own(self) -> tuple[str, ...]:
        """Where this program itself lies, which joins a connection from inside to a bridge.

        Raises `NoKeyError` where it can be written.
        """
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
        found = dict.fromkeys((package, *map(os.path.realpath, (sys.prefix, sys.base_prefix))))
        for path in (sys.executable, *found):
            if not self.is_kept(path):
                raise NoKeyError(f"execpolicy itself, in `{path}`, can be written in the sandbox")
        return tuple(found)

    def is_kept(self, path: str) -> bool:
        """Whether no way to a path, through all its links, goes through what can be written."""
        return all(self._is_kept(step) for step in _steps(path))

    def _is_kept(self, step: str) -> bool:
        """What is read only in the middle of what is written was written before it was that."""
        if any(below(step, one) for one in self._written):
            return False
        return wall_at(step, self._mounts) in _KEPT


def _steps(path: str) -> Iterator[str]:
    """The real place of a path, and of each link that leads there."""
    for _ in range(MAX_LINKS):
        parent, name = os.path.split(os.path.normpath(path))
        here = os.path.join(os.path.realpath(parent), name)
        yield from _links(parent)
        yield here
        if not os.path.islink(here):
            return
        path = os.path.join(os.path.dirname(here), os.readlink(here))
    raise NoKeyError(f"`{path}` leads through too many links")


def _links(directory: str) -> Iterator[str]:
    """The links among the directories of a path, each where it lies."""
    while directory not in ("/", ""):
        if os.path.islink(directory):
            yield from _steps(directory)
        directory = os.path.dirname(directory)
