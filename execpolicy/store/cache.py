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

_HEADER = (
    f"execpolicy {version.PACKAGE} {version.LANGUAGE} {version.COMPILED} "
    f"{sys.implementation.cache_tag} {marshal.version}\n"
).encode()
_FRAME = 24  # the length of the value and its checksum, in hexadecimal


class Blobs:
    """The blobs of an open cache file, as a sequence. The file may be replaced meanwhile."""

    __slots__ = ("_descriptor", "_places")

    def __init__(self, descriptor: int, places: "Sequence[tuple[int, int, int]]") -> None:
        self._descriptor = descriptor
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: int) -> bytes:
        """A blob. Raises `LookupError` if it is not what was written."""
        offset, length, checksum = self._places[number]
        data = os.pread(self._descriptor, length, offset)
        if binascii.crc32(data) != checksum:
            raise LookupError("a cached blob is damaged")
        return data

    def __del__(self) -> None:
        os.close(self._descriptor)


def read(name: str, stamp: str) -> "tuple[Any, Blobs] | None":
    """What was written under this name with this very stamp, or None."""
    path = os.path.join(dirs.cache(), name)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    try:
        found = _parse(descriptor, stamp)
    except (OSError, EOFError, ValueError, TypeError):
        found = None
    if found is None:
        os.close(descriptor)
        return None
    value, places = found
    return value, Blobs(descriptor, places)


def _parse(descriptor: int, stamp: str) -> "tuple[Any, list[tuple[int, int, int]]] | None":
    if not is_mine(os.fstat(descriptor)) or not is_mine(os.stat(dirs.cache())):
        return None
    expected = _HEADER + stamp.encode() + b"\n"
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
    body = marshal.dumps((value, [(len(b), binascii.crc32(b)) for b in blobs]))
    frame = b"%016x%08x" % (len(body), binascii.crc32(body))
    data = b"".join((_HEADER, stamp.encode(), b"\n", frame, body, *blobs))
    try:
        private_directory(dirs.cache())
        if is_mine(os.stat(dirs.cache())):
            replace(os.path.join(dirs.cache(), name), data, 0o600)
    except OSError:
        return
