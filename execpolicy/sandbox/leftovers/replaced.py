"""What became of covered paths since they were covered, by inotify(7).

A watch of its own, which nothing waits for: a command may open files by the thousand.
"""

import os
import stat

from execpolicy.sandbox.backends.inotify import DELETED, MODIFIED, MOVED_AWAY, OPENED, Inotify
from execpolicy.support.ordered_enum import OrderedEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.sandbox.backends.inotify import Appeared


class Touched(OrderedEnum):
    """What is known of a file that stands where a cover was, from the least that was done to it.

    `REPLACED`: one call put it there (rename(2)) and made the cover fall, which no process inside
    can; it was not opened since. `OPENED`: it was, and not changed. `UNKNOWN`: it is not known who
    put it there, or who changed it. `EARLY`: nothing was done to it since a moment when nothing ran
    inside.
    """

    EARLY = 0
    REPLACED = 1
    OPENED = 2
    UNKNOWN = 3


class Replaced:
    """What was done to what stands at these paths, whose directories are watched.

    It is told to the directory of the name that was used, so a file with other names may have been
    read by those, and what is in a directory is told to that one: neither is known. Raises
    `OSError` without a watch.

    `begun`: the command runs, or ran. What was done before that is its doing in no case.
    """

    begun = False

    def __init__(self, paths: "Iterable[str]") -> None:
        self._inotify = Inotify()
        self._paths = frozenset(paths)
        self._found: dict[str, Touched] = {}
        self._early: dict[str, Touched] = {}
        self._watched: dict[str, os.stat_result] = {}
        for directory in {*map(os.path.dirname, self._paths)}:
            if self._inotify.add(directory, OPENED | MODIFIED | MOVED_AWAY | DELETED):
                self._watched[directory] = os.stat(directory)

    def begin(self) -> None:
        """All that stands there now is going to be covered."""
        self.note()
        self._found.clear()
        self.begun = False

    def note(self) -> None:
        """Take in what happened, so that the kernel keeps what comes."""
        seen = self._inotify.read()
        if seen is None:
            self._found = dict.fromkeys(self._paths, Touched.UNKNOWN)
        for one in seen or ():
            if one.path in self._paths:
                self._take(one)

    def _take(self, one: "Appeared") -> None:
        before = self._found.get(one.path)
        if before is None and one.moved:
            self._found[one.path] = Touched.REPLACED
        elif one.opened and before in (Touched.REPLACED, Touched.OPENED):
            self._found[one.path] = Touched.OPENED
        elif one.put or one.gone or before is not None:
            self._found[one.path] = Touched.UNKNOWN

    def rest(self) -> None:
        """Nothing ran inside when that was noted: it has not begun, or it has ended."""
        if not self.begun:
            new = {p: one for p, one in self._found.items() if one is not Touched.EARLY}
            self._early |= new
            self._found = dict.fromkeys(self._found, Touched.EARLY)

    def touched(self, path: str) -> Touched:
        """What was done to what stands at a path."""
        self.note()
        if not self._is_watched(path):
            return Touched.UNKNOWN
        known = self._found.get(path, Touched.UNKNOWN)
        if known is Touched.EARLY:
            return Touched.REPLACED if self.begun else self._early[path]
        return known

    def _is_watched(self, path: str) -> bool:
        """Whether all that is done to what stands there is told: its directory is the one that is
        watched, and a file has no other name."""
        directory = os.path.dirname(path)
        try:
            found, above = os.lstat(path), os.stat(directory)
        except OSError:
            return False
        watched = self._watched.get(directory)
        alone = stat.S_ISREG(found.st_mode) and found.st_nlink == 1
        return alone and watched is not None and os.path.samestat(above, watched)

    def settle(self, *paths: str) -> None:
        """Forget what was done to them: they have a cover again."""
        for path in paths:
            self._found.pop(path, None)

    def close(self) -> None:
        """Stop watching."""
        self._inotify.close()
