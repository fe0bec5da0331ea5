"""Compiled rules on disk, for processes that are started anew for each command.

A file holds a header, the stamp of all it was made from, one `marshal` value, and blobs that are
read one by one when they are needed. All of it is plain data, nothing that runs when it is read,
and has a checksum. The directory is of mode 0700; a file counts only if this user owns both and
nobody else can write to them. Anything odd means that it is compiled again.
"""

import binascii
import marshal
import os
import sys

from execpolicy import version
from execpolicy.store import dirs
from execpolicy.store.files import is_mine, private_directory, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_VERSIONS = f"execpolicy {version.PACKAGE} {version.LANGUAGE} {version.COMPILED}"
_HEADER = f"{_VERSIONS} {sys.implementation.cache_tag} {marshal.version}\n".encode()
_PORTABLE = 2
"""A version of marshal that every Python reads: for what is made on another machine."""
_PORTABLE_HEADER = f"{_VERSIONS} portable {_PORTABLE}\n".encode()
_FRAME = 24  # the length of the value and its checksum, in hexadecimal


INSTALLATIONS = 8
"""Installations whose compiled rules are kept: some 15 MB each."""
_DIGITS = frozenset("0123456789abcdef")

FEW = 1024
"""Blobs that are read one by one: a process that asks for more lives on, and reads all at once."""


class Blobs:
    """The blobs of an open cache file, as a sequence. The file may be replaced meanwhile."""

    __slots__ = ("_all", "_descriptor", "_places", "_read")

    def __init__(self, descriptor: int, places: "Sequence[tuple[int, int, int]]") -> None:
        self._descriptor = descriptor
        self._places = places
        self._read = 0
        self._all: bytes | None = None

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: int) -> bytes:
        """A blob. Raises `LookupError` if it is not what was written."""
        offset, length, checksum = self._places[number]
        if self._all is None and self._read < FEW:
            self._read += 1
            data = os.pread(self._descriptor, length, offset)
        else:
            start = offset - self._places[0][0]
            data = self._whole()[start : start + length]
        if binascii.crc32(data) != checksum:
            raise LookupError("a cached blob is damaged")
        return data

    def _whole(self) -> bytes:
        if self._all is None:
            (first, _, _), (last, length, _) = self._places[0], self._places[-1]
            self._all = os.pread(self._descriptor, last + length - first, first)
        return self._all

    def __del__(self) -> None:
        os.close(self._descriptor)


def place(name: str) -> str:
    """Where what has this name is kept."""
    return os.path.join(dirs.cache(), name)


def read(name: str, stamp: str) -> "tuple[Any, Blobs] | None":
    """What was written under this name with this very stamp, or None."""
    return _open(place(name), _HEADER + stamp.encode(), private=True)


def read_portable(path: str, stamp: str) -> "tuple[Any, Blobs] | None":
    """What `write_portable` put there with this very stamp, or None.

    It is part of the package: whoever can write to it can write to the code.
    """
    return _open(path, _PORTABLE_HEADER + stamp.encode(), private=False)


def _open(path: str, header: bytes, private: bool) -> "tuple[Any, Blobs] | None":
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        found = _parse(descriptor, header + b"\n") if not private or _mine(descriptor) else None
    except (OSError, EOFError, ValueError, TypeError):
        found = None
    if found is None:
        os.close(descriptor)
        return None
    value, places = found
    return value, Blobs(descriptor, places)


def _mine(descriptor: int) -> bool:
    return is_mine(os.fstat(descriptor)) and is_mine(os.stat(dirs.cache()))


def _parse(descriptor: int, expected: bytes) -> "tuple[Any, list[tuple[int, int, int]]] | None":
    start = len(expected) + _FRAME
    head = os.pread(descriptor, start, 0)
    if not head.startswith(expected) or len(head) != start:
        return None
    length, checksum = int(head[-_FRAME:-8], 16), int(head[-8:], 16)
    body = os.pread(descriptor, length, start)
    if len(body) != length or binascii.crc32(body) != checksum:
        return None
    value, sizes = marshal.loads(body)  # noqa: S302 — data, of a file that only this user can write
    return value, _places(start + length, sizes)


def _places(offset: int, sizes: "Sequence[tuple[int, int]]") -> list[tuple[int, int, int]]:
    """Where each blob is, from its length and its checksum."""
    places = []
    for length, checksum in sizes:
        places.append((offset, length, checksum))
        offset += length
    return places


def write(name: str, stamp: str, value: "Any", blobs: "Sequence[bytes]" = ()) -> None:
    """Keep a value of plain data. A disk that refuses is no reason to fail: it is a cache."""
    data = _packed(_HEADER + stamp.encode(), value, blobs, marshal.version)
    directory = dirs.cache()
    try:
        known = os.path.isdir(directory)
        private_directory(os.path.dirname(directory))
        private_directory(directory)
        if is_mine(os.stat(directory)):
            replace(os.path.join(directory, name), data, 0o600)
            if not known:
                _forget(os.path.dirname(directory))
    except OSError:
        return


def _forget(directory: str) -> None:
    """Remove what the installations left that wrote here longest ago. Raises `OSError`."""
    rooms = [e for e in os.scandir(directory) if e.is_dir(follow_symlinks=False) and _is_room(e)]
    rooms.sort(key=lambda room: room.stat().st_mtime, reverse=True)
    for room in rooms[INSTALLATIONS:]:
        for entry in os.scandir(room):
            os.unlink(entry)
        os.rmdir(room)


def _is_room(entry: "os.DirEntry[str]") -> bool:
    return len(entry.name) == 8 and _DIGITS.issuperset(entry.name)


def write_portable(path: str, stamp: str, value: "Any", blobs: "Sequence[bytes]") -> None:
    """Put a value of plain data where the package keeps it. Raises `OSError`."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    replace(path, _packed(_PORTABLE_HEADER + stamp.encode(), value, blobs, _PORTABLE), 0o644)


def _packed(header: bytes, value: "Any", blobs: "Sequence[bytes]", form: int) -> bytes:
    body = marshal.dumps((value, [(len(b), binascii.crc32(b)) for b in blobs]), form)
    frame = b"%016x%08x" % (len(body), binascii.crc32(body))
    return b"".join((header, b"\n", frame, body, *blobs))
