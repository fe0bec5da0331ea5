"""Whether what another process put in the place of a covered path was opened since, by inotify(7).

A watch of its own, which nothing waits for: a command may open files by the thousand.
"""

import os
import stat

from execpolicy.sandbox.backends.inotify import MOVED_AWAY, OPENED, Inotify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Unread:
    """What was put into these directories, by the names that it was opened by or lost since.

    An open is told to the directory of the name that is opened, so a file with other names may have
    been read by those, and what is in a directory is told to that one. What is not known counts as
    opened. Raises `OSError` without a watch.
    """

    def __init__(self, directories: "Iterable[str]") -> None:
        self._inotify = Inotify()
        self._put: dict[str, bool] = {}
        for directory in directories:
            self._inotify.add(directory, OPENED | MOVED_AWAY)

    def note(self) -> None:
        """Take in what happened, so that the kernel keeps what comes."""
        seen = self._inotify.read()
        if seen is None:
            self._put.clear()
        self._put.update((one.path, one.put) for one in seen or ())

    def holds(self, path: str) -> bool:
        """Whether what stands at a path was not opened since it was put there."""
        self.note()
        try:
            found = os.lstat(path)
        except OSError:
            return False
        alone = stat.S_ISREG(found.st_mode) and found.st_nlink == 1
        return alone and self._put.get(path, False)

    def close(self) -> None:
        """Stop watching."""
        self._inotify.close()
