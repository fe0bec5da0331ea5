"""Opens a path with no link on the way to it, and directories that a run closed to everybody."""

import os
import stat
from errno import ELOOP

_ANYTHING = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = _ANYTHING | os.O_DIRECTORY
OWNER = stat.S_IRWXU


def opened(path: str) -> int:
    """A path, opened name by name. Raises `OSError` where one of them is a link."""
    fd = os.open("/", _DIRECTORY)
    names = [name for name in path.split("/") if name]
    for at, name in enumerate(names):
        flags = _DIRECTORY if at < len(names) - 1 else _ANYTHING
        try:
            following = os.open(name, flags, dir_fd=fd)
        finally:
            os.close(fd)
        fd = following
    if stat.S_ISLNK(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(ELOOP, "it is a link", path)
    return fd


class Openings:
    """What was opened, to be put back as it was by `close`."""

    def __init__(self) -> None:
        self._modes: dict[str, int] = {}

    def open(self, path: str) -> bool:
        """Let the owner do all in a directory; whether that was not so and is so now."""
        try:
            fd = opened(path)
        except OSError:
            return False
        try:
            mode = os.fstat(fd).st_mode
            if not stat.S_ISDIR(mode) or mode & OWNER == OWNER:
                return False
            os.chmod(f"/proc/self/fd/{fd}", stat.S_IMODE(mode) | OWNER)
        except OSError:
            return False
        finally:
            os.close(fd)
        self._modes[path] = stat.S_IMODE(mode)
        return True

    def close(self) -> None:
        """Put back the modes of those that are still there, the innermost first."""
        for path in sorted(self._modes, reverse=True):
            try:
                fd = opened(path)
            except OSError:
                continue
            try:
                if stat.S_ISDIR(os.fstat(fd).st_mode):
                    os.chmod(f"/proc/self/fd/{fd}", self._modes[path])
            except OSError:
                continue
            finally:
                os.close(fd)
        self._modes.clear()
