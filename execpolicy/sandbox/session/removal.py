"""Removes a directory that commands or an agent filled: deep, closed to everybody, full of links.

Nothing is named by a path, so that no link is followed, whenever it appears. What lies deeper is
moved to the top, one directory after the other: two descriptors are enough, and no call is inside
of another.
"""

import os
from _collections_abc import Iterator
from itertools import islice

MAX_REMOVED = 50_000
"""Entries that one call removes or moves. What is more is left for the next time."""
_CLOSED = os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_OWN = 0o700


def remove(path: str, limit: int = MAX_REMOVED) -> bool:
    """Remove a directory with all that it holds, or a file; whether nothing is left.

    What refuses that is left for the next time. Never raises an `OSError`.
    """
    try:
        above = os.open(os.path.dirname(path) or ".", _CLOSED)
    except OSError:
        return False
    try:
        name = os.path.basename(path)
        return _unlinked(name, above) or _removed(name, above, limit)
    finally:
        os.close(above)


def _removed(name: str, above: int, limit: int) -> bool:
    try:
        top = _opened(name, above)
    except OSError:
        return False
    try:
        _Emptying(top, limit).run()
    finally:
        os.close(top)
    return _rmdir(name, above)


class _Emptying:
    """Empties one directory. `left` is how many entries it may still remove or move."""

    def __init__(self, top: int, limit: int) -> None:
        self._top, self.left = top, limit
        self._refused: set[str] = set()

    def run(self) -> None:
        """Empty it, as far as that goes."""
        while self.left > 0:
            waiting = [name for name in self._taken(self._top) if name not in self._refused]
            if not waiting:
                return
            for name in waiting:
                if self.left > 0:
                    self._empty(name)

    def _empty(self, name: str) -> None:
        """Remove a directory of the top. What lies in it comes to the top."""
        try:
            here = _opened(name, self._top)
        except OSError:
            self._refused.add(name)
            return
        try:
            for inner in self._taken(here):
                self._raise(inner, here)
        finally:
            os.close(here)
        if self.left > 0 and not _rmdir(name, self._top):
            self._refused.add(name)

    def _taken(self, directory: int) -> "Iterator[str]":
        """Remove the files of a directory; the names of the directories in it, of which some may
        be empty."""
        for name in _names(directory, self.left):
            self.left -= 1
            if not _unlinked(name, directory) and not _rmdir(name, directory):
                yield name

    def _raise(self, name: str, directory: int) -> None:
        """Move a directory to the top. That changes what `..` is in it, so it has to be open."""
        try:
            os.close(_opened(name, directory))
            fresh = f"removed-{os.urandom(8).hex()}"
            os.rename(name, fresh, src_dir_fd=directory, dst_dir_fd=self._top)
        except OSError:
            return


def _names(directory: int, limit: int) -> "list[str]":
    """So many names of a directory that may hold any number."""
    try:
        with os.scandir(directory) as entries:
            return [entry.name for entry in islice(entries, limit)]
    except OSError:
        return []


def _opened(name: str, above: int) -> int:
    """A directory, opened by its own name and made one that its owner may empty."""
    closed = os.open(name, _CLOSED, dir_fd=above)
    try:
        # chmod(2) follows links, and there is none in what a descriptor stands for
        os.chmod(f"/proc/self/fd/{closed}", _OWN)
        return os.open(".", _OPEN, dir_fd=closed)
    finally:
        os.close(closed)


def _unlinked(name: str, directory: int) -> bool:
    try:
        os.unlink(name, dir_fd=directory)
    except OSError:
        return False
    return True


def _rmdir(name: str, directory: int) -> bool:
    try:
        os.rmdir(name, dir_fd=directory)
    except OSError:
        return False
    return True
