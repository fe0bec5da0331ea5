"""How paths with protected names stand at a moment, by their names alone."""

import os
import stat
from errno import ENAMETOOLONG

from execpolicy.sandbox.scan.protected_path import ProtectedPath


class Notes:
    """The paths by name, links too, to be compared with those of a later survey."""

    def __init__(self) -> None:
        self.by_path: dict[str, ProtectedPath] = {}

    def note(self, path: str, repository: bool = False) -> None:
        """Keep how a path stands now, if it is there."""
        self._keep(path, repository=repository or path.endswith("/.git"))

    def note_part(self, path: str) -> None:
        """The same for what may make a git directory of the one that it lies in."""
        if path not in self.by_path:
            self._keep(path, part=True)

    def note_unnameable(self, path: str) -> None:
        """Keep a path that is too long to be looked at."""
        self.by_path[path] = ProtectedPath(path, 0, 0)

    def _keep(self, path: str, *, repository: bool = False, part: bool = False) -> None:
        try:
            state = os.lstat(path)
            target = os.readlink(path) if stat.S_ISLNK(state.st_mode) else ""
            device, inode = state.st_dev, state.st_ino
        except OSError as error:
            if error.errno != ENAMETOOLONG:
                return
            device, inode, target = 0, 0, ""
        self.by_path[path] = ProtectedPath(path, device, inode, target, repository, part)
