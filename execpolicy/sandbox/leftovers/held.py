"""Whether the walls around single paths still stand.

The kernel drops a mount when another process renames something over its mount point, or removes it
(mount_namespaces(7)): what stands there then is open to the command. Nobody can tell what of it is
the user's own and what the command wrote, so such a run is ended, and the user is told.
"""

import os

from execpolicy.model.errors import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_OPEN = 400
"""Descriptors of a run that stay open; many systems allow 1024 to a process."""
_FLAGS = getattr(os, "O_PATH", 0) | os.O_NOFOLLOW | os.O_CLOEXEC


class Held:
    """The paths with a wall of their own, as they were when a run began.

    Each is open meanwhile, so that no other file gets its inode. `lost` are those where something
    else stands now.
    """

    __slots__ = ("_before", "_open", "lost")

    def __init__(self, paths: "Iterable[str]") -> None:
        self._open: list[int] = []
        self._before = {path: self._opened(path) for path in paths}
        self.lost: dict[str, None] = {}

    def _opened(self, path: str) -> tuple[int, int] | None:
        if len(self._open) < MAX_OPEN:
            try:
                self._open.append(os.open(path, _FLAGS))
            except OSError:
                return None
        return _inode(path)

    @property
    def directories(self) -> "list[str]":
        """Where something else may appear in the place of one."""
        return list(dict.fromkeys(map(os.path.dirname, self._before)))

    def look(self, paths: "Iterable[str] | None" = None) -> bool:
        """Whether all walls stand, by a look at these paths."""
        for path in self._before if paths is None else paths:
            if path in self._before and _inode(path) != self._before[path]:
                self.lost[path] = None
        return not self.lost

    def close(self) -> None:
        """Let go of them."""
        for fd in self._open:
            os.close(fd)
        self._open.clear()

    def told(self) -> tuple[str, ...]:
        """What the user has to know."""
        return tuple(
            f"`{printable(path, 200)}` was replaced or removed by another process, so that its "
            "wall fell, and the run was ended: look at it before you use it"
            for path in self.lost
        )


def _inode(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
