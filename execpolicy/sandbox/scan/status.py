"""What lies at a path: its kind, its names, whether it can be come to."""

import os
import stat
from _collections_abc import Iterable


def kind(mode: int) -> str:
    """What a mode says that something is: `directory`, `socket` or `file`, which is all else."""
    if stat.S_ISDIR(mode):
        return "directory"
    return "socket" if stat.S_ISSOCK(mode) else "file"


def linked_inode(path: str) -> tuple[int, int] | None:
    """The device and the inode of a file that has several names."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    several = stat.S_ISREG(state.st_mode) and state.st_nlink > 1
    return (state.st_dev, state.st_ino) if several else None


def is_empty(path: str) -> bool:
    """Whether a path is a directory that holds nothing: nothing in it needs to be kept."""
    try:
        with os.scandir(path) as entries:
            return next(entries, None) is None
    except OSError:
        return False


def entries_of(directory: str) -> "list[os.DirEntry[str]] | None":
    """What a directory holds; None where it cannot be read."""
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:
        return None


def in_order(directory: str) -> "list[os.DirEntry[str]]":
    """The same by their names; nothing where it cannot be read."""
    return sorted(entries_of(directory) or (), key=lambda entry: entry.name)


class Unseen:
    """What of a home needs no look, by its names alone: what is not there, and these files."""

    def __init__(
        self, home: str, listed: "Iterable[os.DirEntry[str]]", files: "Iterable[str]"
    ) -> None:
        self._home, self._files = home + "/", frozenset(files)
        self._names = {entry.name for entry in listed}

    def has(self, path: str) -> bool:
        """Whether a path is one of them."""
        inside = path.startswith(self._home)
        first = path[len(self._home) :].partition("/")[0] if inside else ""
        return inside and (path in self._files or first not in self._names)
