"""What appears in directories while they are watched, by inotify(7)."""

import os
import sys

from execpolicy.sandbox.kernel import call

MODIFIED, OPENED, MOVED_AWAY, MOVED_HERE, CREATED, DELETED = 2, 0x20, 0x40, 0x80, 0x100, 0x200
ONLY_DIRECTORY = 0x01000000
IS_DIRECTORY, OVERFLOW = 0x40000000, 0x4000
MAX_WATCHES = 4096
"""Half of what a user has by default on small machines; the end of the run looks at the rest."""
MAX_READS = 32
EMFILE = 24
"""There is none left (errno(3))."""
_NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC
_HEAD = 16
"""Bytes of `struct inotify_event` before the name: four numbers of four."""


class Appeared:
    """One entry of the stream: a path that is new or gone, and whether it is a directory.

    `moved`: another file was given this name by one call, which replaces what had it (rename(2)).
    `put`: it was given this name, or made; `gone`: it lost it; `opened`: it was, by this name.
    """

    def __init__(self, path: str, mask: int) -> None:
        self.path = path
        self.directory, self.moved = bool(mask & IS_DIRECTORY), bool(mask & MOVED_HERE)
        self.put, self.opened = bool(mask & (MOVED_HERE | CREATED)), bool(mask & OPENED)
        self.gone = bool(mask & (MOVED_AWAY | DELETED))


class Inotify:
    """A watch over directories. Raises `OSError` where the kernel gives none.

    `refused`: this process takes none, of which a user has 128 by default, editors too.
    """

    refused = False

    def __init__(self) -> None:
        if self.refused:
            raise OSError(EMFILE, "others are to have one")
        self._directories: dict[int, str] = {}
        self.fd = call("inotify_init1", _NONBLOCK_CLOEXEC)

    def add(self, directory: str, more: int = 0) -> bool:
        """Watch a directory; whether it is watched now: there is room, and it is still there.

        `more` is what is told beside what appears.
        """
        if len(self._directories) >= MAX_WATCHES:
            return False
        mask = CREATED | MOVED_HERE | ONLY_DIRECTORY | more
        try:
            number = call("inotify_add_watch", self.fd, os.fsencode(directory), mask)
        except OSError:
            return False
        self._directories[number] = directory.rstrip("/")
        return True

    def read(self) -> "list[Appeared] | None":
        """All that appeared since the last call; None where that is more than is kept."""
        found: list[Appeared] = []
        for _ in range(MAX_READS):
            try:
                data = os.read(self.fd, 1 << 16)
            except BlockingIOError:
                return found
            if not self._take(data, found):
                return None
        return None

    def _take(self, data: bytes, found: "list[Appeared]") -> bool:
        """Take in what was read; whether the kernel kept all."""
        at = 0
        while at + _HEAD <= len(data):
            number, mask, _, length = (_integer(data, at + 4 * field) for field in range(4))
            at += _HEAD
            name = os.fsdecode(data[at : at + length].rstrip(b"\0"))
            at += length
            if mask & OVERFLOW:
                return False
            if number in self._directories and name:
                found.append(Appeared(f"{self._directories[number]}/{name}", mask))
        return True

    def close(self) -> None:
        """Stop watching."""
        os.close(self.fd)


def _integer(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], sys.byteorder)
