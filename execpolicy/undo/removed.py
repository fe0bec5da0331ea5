"""Which files of a reading are gone, for what the user is told after a call."""

import os
import stat

from execpolicy.undo.entry import DIRECTORY, SKIPPED, Listing
from execpolicy.undo.scan import Directories

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW


def removed(root: str, found: "Directories") -> int:
    """How many files and links of a reading are gone, by a look at the directories that changed.

    Those of git's own directories do not count: it removes files of its own all the time.
    """
    count, top = 0, os.open(root, _OPEN)
    try:
        for path, (_, listing, mtime) in found.items():
            if listing is not None and ".git" not in path.split("/"):
                count += _removed(top, path or ".", listing, mtime)
    finally:
        os.close(top)
    return count


def _removed(top: int, path: str, listing: "Listing", mtime: int) -> int:
    try:
        state = os.stat(path, dir_fd=top, follow_symlinks=False)
        if state.st_mtime_ns == mtime and stat.S_ISDIR(state.st_mode):
            return 0
        descriptor = os.open(path, _OPEN, dir_fd=top)
    except (FileNotFoundError, NotADirectoryError):
        there: list[str] = []
    except OSError:  # a path that is too long for one look
        return 0
    else:
        there = os.listdir(descriptor)
        os.close(descriptor)
    gone = (listing[name] for name in listing.keys() - there)
    return sum(one[0] not in (DIRECTORY, SKIPPED) for one in gone)
