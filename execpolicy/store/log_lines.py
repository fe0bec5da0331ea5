"""The lines of a log, read from its newest end, through the files that were moved aside."""

import json
import os
from collections.abc import Iterable, Iterator

from execpolicy.store.log_file import KEEP

Line = dict[str, object]

BLOCK = 1 << 18
"""Bytes that are read at once."""
MAX_LINE = 1 << 22
"""Bytes of a line; a longer one is not a line of a log."""


Place = tuple[int, int, int]
"""A place in a file: its device, its inode, and a number of bytes."""


def names(path: str) -> list[str]:
    """The files that may hold lines of a log: those that were moved aside, the oldest first, and
    the log itself."""
    return [*(f"{path}.{number}" for number in range(KEEP, 0, -1)), path]


def newest(path: str, since: str = "", before: Place | None = None) -> Iterator[Line]:
    """The lines of a log, the newest first, down to where all are older than a timestamp.

    With `before`, what stands after that place is left out. Lines of several processes stand a
    moment out of their order: it ends with a block that has nothing younger. Raises `OSError` where
    a file is there and cannot be read.
    """
    known = set[tuple[int, int]]()
    for name in reversed(names(path)):
        try:
            file = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            status = os.fstat(file)
            which = status.st_dev, status.st_ino
            is_later = before is not None and not known and which != before[:2]
            if which in known or is_later:
                continue  # the log was moved aside meanwhile
            known.add(which)
            end = before[2] if before is not None and which == before[:2] else status.st_size
            for lines in _blocks(file, end):
                found = [*parsed(lines)]
                yield from (line for line in found if str(line.get("time", "")) >= since)
                if found and all(str(line.get("time", "")) < since for line in found):
                    return
        finally:
            os.close(file)


def _blocks(file: int, end: int) -> Iterator[list[bytes]]:
    """The lines of each block of a file, the last block first and of each the last line first."""
    rest = b""
    while end > 0:
        start = max(0, end - BLOCK)
        first, *lines = (os.pread(file, end - start, start) + rest).split(b"\n")
        rest = first if start and len(first) < MAX_LINE else b""
        yield [*reversed(lines if start else [first, *lines])]
        end = start


def oldest(path: str) -> Iterator[Line]:
    """The lines of the files that were moved aside, the oldest first."""
    for name in names(path)[:-1]:
        try:
            with open(name, "rb") as file:
                yield from parsed(file)
        except FileNotFoundError:
            continue


def parsed(lines: Iterable[bytes]) -> Iterator[Line]:
    """The JSON objects among the lines; a line that was cut off by a crash is left out."""
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


class Follower:
    """Reads on where it stopped, and in the new file where the log was rotated.

    `at_end`: it begins after the last whole line that is there now.
    """

    def __init__(self, path: str, at_end: bool = False) -> None:
        self.path = path
        self._descriptor = -1
        self._rest = b""
        if at_end and self._open():
            self._skip()

    def place(self) -> Place | None:
        """Where it goes on; None where there is no file yet."""
        if self._descriptor < 0:
            return None
        status = os.fstat(self._descriptor)
        return status.st_dev, status.st_ino, os.lseek(self._descriptor, 0, os.SEEK_CUR)

    def lines(self) -> Iterator[Line]:
        """The whole lines that came since the last call."""
        while True:
            if self._descriptor < 0 and not self._open():
                return
            moved = self._moved()  # before reading: what was written until then is read now
            yield from self._read()
            if not moved:
                return
            self.close()

    def _open(self) -> bool:
        try:
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        return True

    def _skip(self) -> None:
        end = os.lseek(self._descriptor, 0, os.SEEK_END)
        start = max(0, end - MAX_LINE)
        last = os.pread(self._descriptor, end - start, start).rpartition(b"\n")[2]
        os.lseek(self._descriptor, end - len(last), os.SEEK_SET)

    def _moved(self) -> bool:
        """Whether another file has the name now."""
        mine = os.fstat(self._descriptor)
        try:
            now = os.stat(self.path)
        except FileNotFoundError:
            return False
        return (now.st_dev, now.st_ino) != (mine.st_dev, mine.st_ino)

    def _read(self) -> Iterator[Line]:
        while chunk := os.read(self._descriptor, 1 << 20):
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            yield from parsed(lines)

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._rest = -1, b""
