"""Whether the walls around single paths still stand.

The kernel drops a mount when another process renames something over its mount point, or removes it
(mount_namespaces(7)): what stands there then is open to the command until it is covered again.
"""

import os
from _collections_abc import Iterable

MAX_OPEN = 400
"""Descriptors of a run that stay open; many systems allow 1024 to a process."""
_FLAGS = getattr(os, "O_PATH", 0) | os.O_NOFOLLOW | os.O_CLOEXEC


class Held:
    """The paths with a wall of their own, as they were when they were covered.

    Each is open meanwhile, so that no other file gets its inode. `gone` are those where nothing
    stands any more.
    """

    def __init__(self, paths: "Iterable[str]") -> None:
        self._open: list[int] = []
        self._before = {path: self._opened(path) for path in paths}
        self.gone = {path for path, inode in self._before.items() if inode is None}

    def _opened(self, path: str) -> tuple[int, int] | None:
        if len(self._open) < MAX_OPEN:
            try:
                self._open.append(os.open(path, _FLAGS))
            except OSError:
                return None
        return _inode(path)

    def __contains__(self, path: str) -> bool:
        return path in self._before

    def changed(self, paths: "Iterable[str] | None" = None) -> "list[str]":
        """At which of these paths something else stands now, those above others first."""
        every = self._before if paths is None else dict.fromkeys(paths)
        found = [p for p in every if p in self._before and _inode(p) != self._before[p]]
        return sorted(found, key=lambda path: path.count("/"))

    def settle(self, path: str) -> None:
        """Take what stands there now for what is covered."""
        self._before[path] = self._opened(path)
        (self.gone.discard if self._before[path] else self.gone.add)(path)

    def close(self) -> None:
        """Let go of them."""
        for fd in self._open:
            os.close(fd)
        self._open.clear()


def _inode(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
