"""Where names stand in a large index, found by halves: its entries are sorted (gitformat-index(5)).

Git looks a name up in the same way. What goes through all entries, as `git ls-files` does, is not
answered here: entries of an index that git did not write may be in any order.
"""

import os

from execpolicy.support.disk.bounded import opened, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from execpolicy.support.disk.repository import Repository

    T = TypeVar("T")

HEADER = 12
_FIXED, _HASH = 62, 20
"""Bytes before the first entry, of an entry before its name, and after all that follows them."""
_WINDOW, _WIDE = 1 << 13, 1 << 18
_MODE, _STAT, _FLAGS = 24, 40, 60
"""Where its mode, its content and its flags stand."""
_GITLINK = (0o160000).to_bytes(4, "big")
_MODES = frozenset((*(m.to_bytes(4, "big") for m in (0o100644, 0o100755, 0o120000)), _GITLINK))
_MODE_AT = (HEADER + _MODE) % 8
_LAST = b"\xff" * 4096
"""What no name of a file comes after."""
_LENGTH, _MORE = 0xFFF, 0x4000
_MAX_EXTENSIONS = 64
_MAX_CONFIG = 1 << 16
_CHAIN = 3
"""Entries one after the other that are taken for what they look like."""

Position = tuple[int, bytes]
"""Where an entry begins, and its name, which is empty at the end of all."""
_Entry = tuple[bytes, int]
"""The name of one, and where the next begins."""


class IndexSearch:
    """An open index."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._end = os.fstat(descriptor).st_size - _HASH
        header = self.read(0)[:HEADER]
        self.count = int.from_bytes(header[8:], "big") if header[:8] == b"DIRC\0\0\0\2" else 0
        """How many entries it says that it has; 0 for another form."""

    def has(self, name: bytes) -> bool | None:
        """Whether there is an entry of this name, or one below it; None where it is not certain."""
        for text, is_whole in ((name, True), (name + b"/", False)):
            found = self.position(text)
            if found is None:
                return None
            if found[1] == text or (not is_whole and found[1].startswith(text)):
                return True
        return False

    def content(self, name: bytes) -> bytes | None:
        """The SHA-1 of the content of an entry, empty where there is none of the name; None where
        it is not certain."""
        found = self.position(name)
        if found is None or found[1] != name:
            return found and b""
        return os.pread(self._descriptor, _HASH, found[0] + _STAT)

    def may_have_gitlink(self, limit: int) -> bool | None:
        """Whether the mode of a submodule stands where an entry may have its own: entries are
        padded to eight bytes. None where it is not certain, or there are too many bytes."""
        if not self.count or self._end >= limit:
            return None
        for at in range(0, self._end, _WIDE):
            data = self.read(at, _WIDE)
            third = data[_MODE_AT + 2 :: 8]
            here = third.find(_GITLINK[2:3])
            while here >= 0:
                if data[here * 8 + _MODE_AT : here * 8 + 8] == _GITLINK:
                    return True
                here = third.find(_GITLINK[2:3], here + 1)
        return False

    def end(self) -> int | None:
        """Where the entries end; None where it is not certain."""
        found = self.position(_LAST)
        return None if found is None or found[1] else found[0]

    def has_more(self, directory: bytes, limit: int) -> bool:
        """Whether there are surely more entries below a directory: each is taken to be twice as
        long as the one in the middle."""
        if not directory:
            return self.count > limit
        first, last = (self.position(directory + end) for end in (b"/", b"0"))
        if not (first and last):
            return False
        size = last[0] - first[0]
        found = self.next(first[0] + size // 2)
        return found is not None and size > limit * 2 * (found[2] - found[0])

    def position(self, sought: bytes) -> Position | None:
        """The first entry of which the name is not before another; None where it is not certain."""
        low, high = HEADER, self._end
        while self.count and high - low > _WINDOW:
            found = self.next((low + high) // 2)
            if found is not None and found[1] < sought:
                low = found[0]
            else:
                high = (low + high) // 2
        return self._from(low, sought) if self.count else None

    def is_named(self, at: int, name: bytes) -> bool:
        """Whether an entry that begins at a place has a name."""
        return self.read(at + _FIXED, len(name) + 1) == name + b"\0"

    def _from(self, at: int, sought: bytes) -> Position | None:
        """The same, entry by entry from one that is before it."""
        data, here = self.read(at, 2 * _WINDOW), 0
        while (entry := _entry(data, here)) is not None:
            if entry[0] >= sought:
                return at + here, entry[0]
            here = entry[1]
        return (at + here, b"") if self._is_end(at + here) else None

    def next(self, at: int) -> tuple[int, bytes, int] | None:
        """An entry soon after a place: where it begins, its name, and where it ends.

        What is inside of an entry may look like another one, whose name ends where that of the
        entry does: so it is not the first that is taken, but one after it.
        """
        at += (HEADER - at) % 8
        data = self.read(at)
        for here in range(0, len(data), 8):
            if data[here + _MODE : here + _MODE + 4] not in _MODES:
                continue
            begin, entry = here, _entry(data, here)
            for _ in range(_CHAIN - 1):
                begin, entry = (entry[1], _entry(data, entry[1])) if entry else (begin, None)
            if entry:
                return at + begin, entry[0], at + entry[1]
        return None

    def _is_end(self, at: int) -> bool:
        """Whether extensions alone follow, each with its length."""
        for _ in range(_MAX_EXTENSIONS):
            if at >= self._end:
                break
            head = os.pread(self._descriptor, 8, at)
            if not head[:4].isalpha():
                return False
            at += 8 + int.from_bytes(head[4:], "big")
        return at == self._end

    def read(self, at: int, size: int = _WINDOW) -> bytes:
        """So many bytes from a place on, or those that are left."""
        return os.pread(self._descriptor, size, at)


def _entry(data: bytes, at: int) -> "_Entry | None":
    """What looks like an entry at a place; None where nothing does."""
    start = at + _FIXED
    flags = int.from_bytes(data[at + _FLAGS : start], "big")
    if data[at + _MODE : at + _MODE + 4] not in _MODES or flags & _MORE:
        return None
    stop = data.find(b"\0", start)
    end = at + (stop - at) // 8 * 8 + 8
    if stop <= start or min(stop - start, _LENGTH) != flags & _LENGTH or any(data[stop:end]):
        return None
    return data[start:stop], end


def ask(own: "Repository", question: "Callable[[IndexSearch], T | None]") -> "T | None":
    """What the index of a repository answers; None where there is none that is searched."""
    config = read(os.path.join(own.common, "config"), _MAX_CONFIG) or b""
    if len(config) == _MAX_CONFIG or b"sha256" in config:  # no file of an index says it
        return None
    descriptor = opened(os.path.join(own.git, "index"))
    if descriptor is None:
        return None
    try:
        return question(IndexSearch(descriptor))
    except OSError:
        return None
    finally:
        os.close(descriptor)
