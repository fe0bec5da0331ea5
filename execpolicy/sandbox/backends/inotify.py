"""What appears in directories while they are watched, by inotify(7)."""

import os
import sys

from execpolicy.sandbox.kernel import call

CREATED, MOVED_HERE, ONLY_DIRECTORY = 0x100, 0x80, 0x01000000
DELETED, MOVED_AWAY = 0x200, 0x40
IS_DIRECTORY = 0x40000000
MAX_WATCHES = 4096
"""Half of what a user has by default on small machines; the end of the run looks at the rest."""
_NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC
_HEAD = 16
"""Bytes of `struct inotify_event` before the name: four numbers of four."""


class Appeared:
    """One entry of the stream: a path that is new or gone, and whether it is a directory."""

    __slots__ = ("directory", "path")

    def __init__(self, path: str, directory: bool) -> None:
        self.path, self.directory = path, directory


class Inotify:
    """A watch over directories. Raises `OSError` where the kernel gives none."""

    __slots__ = ("_directories", "fd")

    def __init__(self) -> None:
        self._directories: dict[int, str] = {}
        self.fd = call("inotify_init1", _NONBLOCK_CLOEXEC)

    def add(self, directory: str, *, replaced: bool = False) -> bool:
        """Watch a directory; whether it is watched now: there is room, and it is still there.

        `replaced`: for what goes away there, too.
        """
        if len(self._directories) >= MAX_WATCHES:
            return False
        mask = CREATED | MOVED_HERE | ONLY_DIRECTORY
        mask |= (DELETED | MOVED_AWAY) if replaced else 0
        try:
            number = call("inotify_add_watch", self.fd, os.fsencode(directory), mask)
        except OSError:
            return False
        self._directories[number] = directory.rstrip("/")
        return True

    def read(self) -> "list[Appeared]":
        """What appeared since the last call."""
        try:
            data = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return []
        found, at = [], 0
        while at + _HEAD <= len(data):
            number, mask, _, length = (_integer(data, at + 4 * field) for field in range(4))
            at += _HEAD
            name = os.fsdecode(data[at : at + length].rstrip(b"\0"))
            at += length
            if number in self._directories and name:
                path = f"{self._directories[number]}/{name}"
                found.append(Appeared(path, bool(mask & IS_DIRECTORY)))
        return found

    def close(self) -> None:
        """Stop watching."""
        os.close(self.fd)


def _integer(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], sys.byteorder)
