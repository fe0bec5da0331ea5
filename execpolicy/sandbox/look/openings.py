"""Directories that a run closed to everybody: opened to be looked into, and closed again."""

import os
import stat

from execpolicy.sandbox.look.opened import opened

OWNER = stat.S_IRWXU


class Openings:
    """What was opened, to be put back as it was by `close`."""

    __slots__ = ("_modes",)

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
