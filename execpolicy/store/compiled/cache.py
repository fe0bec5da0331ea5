"""Compiled rules on disk, for processes that are started anew for each command.

A file holds a header, the stamp of all it was made from, one `marshal` value, an index of fixed
width, and blobs that are read in place, one by one, when they are needed. All of it is plain data,
nothing that runs when it is read, and has a checksum. The directory is of mode 0700; a file counts
only if this user owns both and no other user can write to them. Anything odd means that it is
compiled again.
"""

import marshal
import os
import sys
from _collections_abc import Callable, Sequence

from execpolicy.store.sources.files import is_mine, private_directory, replace
from execpolicy.support import digest, directories, version

_VERSIONS = f"execpolicy {version.PACKAGE} {version.LANGUAGE} {version.COMPILED} {digest.CHECKSUM}"
_HEADER = f"{_VERSIONS} {sys.implementation.cache_tag} {marshal.version}\n".encode()
_PORTABLE = 2
"""A version of marshal that every Python reads: for what is made on another machine."""
_PORTABLE_HEADER = f"{_VERSIONS} portable {_PORTABLE}\n".encode()
_FRAME = 48
"""In hexadecimal: the length of the value, its checksum, the number of blobs, the file's length."""
_HEAD = 256
_FRAME_PARTS = ((0, 16), (16, 24), (24, 32), (32, 48))
_AT_ONCE = 1 << 16
_ENTRY = 16
"""In the index: where a blob is (8 bytes), its length and its checksum (4 each), little-endian."""


INSTALLATIONS = 8
"""Installations whose compiled rules are kept: some 15 MB each."""
_DIGITS = frozenset("0123456789abcdef")

MAX_READ_SINGLY = 1024
"""Blobs that are read one by one: a process that asks for more lives on, and keeps it."""
_PIECE = 1 << 16
"""Bytes that are then read together."""
_PAGE = 1 << 12
"""Bytes of the index that are read together: one reader asks for blobs that are near each other."""


class DamagedError(LookupError):
    """A piece of a cache file is not what was written."""


class Blobs:
    """The blobs of an open cache file, as a sequence. The file may be replaced meanwhile."""

    def __init__(self, descriptor: int, index: int, count: int) -> None:
        self._descriptor = descriptor
        self._index = index
        self._count = count
        self._read = 0
        self._pieces: dict[int, bytes] = {}
        self._entries: dict[int, bytes] = {}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> bytes:
        """A blob. Raises `LookupError` if it is not what was written."""
        if not 0 <= number < self._count:
            raise IndexError("no such blob")
        at = number * _ENTRY % _PAGE
        page = number * _ENTRY - at
        if page not in self._entries:
            self._entries[page] = self._bytes(self._index + page, _PAGE)
        entry = int.from_bytes(self._entries[page][at : at + _ENTRY], "little")
        length = entry >> 64 & 0xFFFF_FFFF
        data = self._bytes(entry & 0xFFFF_FFFF_FFFF_FFFF, length)
        if len(data) != length or digest.checksum(data) != entry >> 96:
            raise DamagedError("a cached blob is damaged")
        return data

    def _bytes(self, offset: int, length: int) -> bytes:
        self._read += 1
        try:
            if self._read <= MAX_READ_SINGLY:
                return os.pread(self._descriptor, length, offset)
            first, last = offset // _PIECE, (offset + length) // _PIECE
            data = b"".join(map(self._piece, range(first, last + 1)))
        except (OSError, OverflowError):
            return b""
        return data[offset - first * _PIECE :][:length]

    def _piece(self, number: int) -> bytes:
        """A piece of the file, read once."""
        found = self._pieces.get(number)
        if found is None:
            found = os.pread(self._descriptor, _PIECE, number * _PIECE)
            self._pieces[number] = found
        return found

    def __del__(self, close: "Callable[[int], None]" = os.close) -> None:
        close(self._descriptor)  # when the interpreter ends, `os` may be gone before


def place(name: str) -> str:
    """Where what has this name is kept."""
    return os.path.join(directories.cache(), name)


def read(name: str, stamp: str) -> "tuple[object, Blobs] | None":
    """What was written under this name with this very stamp, or None."""
    return _open(place(name), _HEADER + stamp.encode(), private=True)


def open_portable(path: str) -> "tuple[str, object, Blobs] | None":
    """The stamp, the value and the blobs of what `write_portable` put there last, or None."""
    try:
        with open(path, "rb", buffering=0) as file:
            head = file.read(_HEAD)
    except OSError:
        return None
    if not head.startswith(_PORTABLE_HEADER):
        return None
    stamp = head[len(_PORTABLE_HEADER) :].partition(b"\n")[0].decode("ascii", "replace")
    found = read_portable(path, stamp)
    return None if found is None else (stamp, *found)


def read_portable(path: str, stamp: str) -> "tuple[object, Blobs] | None":
    """What `write_portable` put there with this very stamp, or None.

    It is part of the package: a process that can write to it can write to the code.
    """
    return _open(path, _PORTABLE_HEADER + stamp.encode(), private=False)


def _open(path: str, header: bytes, private: bool) -> "tuple[object, Blobs] | None":
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
    value, index, count = found
    return value, Blobs(descriptor, index, count)


def _mine(descriptor: int) -> bool:
    return is_mine(descriptor) and is_mine(directories.cache())


def _parse(descriptor: int, expected: bytes) -> "tuple[object, int, int] | None":
    """The value, where the index begins, and the number of blobs."""
    start = len(expected) + _FRAME
    head = os.pread(descriptor, _AT_ONCE, 0)
    if not head.startswith(expected) or len(head) < start:
        return None
    frame = head[len(expected) : start]
    length, expected_sum, count, size = (int(frame[at:to], 16) for at, to in _FRAME_PARTS)
    body = head[start : start + length]
    if len(body) < length:
        body += os.pread(descriptor, length - len(body), start + len(body))
    if len(body) != length or digest.checksum(body) != expected_sum:
        return None
    if os.fstat(descriptor).st_size != size:
        return None
    value = marshal.loads(body)  # noqa: S302 — data, of a file that only this user can write
    return value, start + length, count


def write(
    name: str, stamp: str, value: object, blobs: "Sequence[bytes]" = (), *, durable: bool = True
) -> None:
    """Keep a value of plain data. A disk that refuses is no reason to fail: it is a cache.

    Without `durable` it is not waited for the disk: what a loss of power leaves has no checksum.
    """
    data = _packed(_HEADER + stamp.encode(), value, blobs, marshal.version)
    try:
        if is_mine(_directory()):
            replace(place(name), data, 0o600, durable=durable)
    except OSError:
        return


def is_there() -> bool:
    """Whether there is a cache already. The first process makes its place."""
    found = os.path.isdir(directories.cache())
    try:
        return found or not _directory()
    except OSError:  # no home that can be written to
        return False


def _directory() -> str:
    """The directory, made where it is missing. Raises `OSError`."""
    directory = directories.cache()
    known = os.path.isdir(directory)
    private_directory(os.path.dirname(directory))
    private_directory(directory)
    if not known:
        _forget(os.path.dirname(directory))
    return directory


def forget(prefix: str) -> None:
    """Remove what is kept under names that begin so."""
    try:
        names = os.listdir(directories.cache())
    except OSError:
        return
    for name in names:
        if name.startswith(prefix):
            try:
                os.unlink(place(name))
            except OSError:
                continue


def _forget(directory: str) -> None:
    """Remove what the installations left that wrote here longest ago. Raises `OSError`."""
    every = [e for e in os.scandir(directory) if e.is_dir(follow_symlinks=False) and _is_cache(e)]
    every.sort(key=lambda one: one.stat().st_mtime, reverse=True)
    for one in every[INSTALLATIONS:]:
        for entry in os.scandir(one):
            os.unlink(entry)
        os.rmdir(one)


def _is_cache(entry: "os.DirEntry[str]") -> bool:
    return len(entry.name) == 8 and _DIGITS.issuperset(entry.name)


def write_portable(path: str, stamp: str, value: object, blobs: "Sequence[bytes]") -> None:
    """Put a value of plain data where the package keeps it. Raises `OSError`."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    replace(path, _packed(_PORTABLE_HEADER + stamp.encode(), value, blobs, _PORTABLE), 0o644)


def _packed(header: bytes, value: object, blobs: "Sequence[bytes]", form: int) -> bytes:
    body = marshal.dumps(value, form)  # type: ignore[arg-type]
    start = len(header) + 1 + _FRAME + len(body)
    offset, index = start + len(blobs) * _ENTRY, bytearray()
    for blob in blobs:
        index += offset.to_bytes(8, "little") + len(blob).to_bytes(4, "little")
        index += digest.checksum(blob).to_bytes(4, "little")
        offset += len(blob)
    frame = b"%016x%08x%08x%016x" % (len(body), digest.checksum(body), len(blobs), offset)
    return b"".join((header, b"\n", frame, body, index, *blobs))
