"""The paths in the index of a git repository, without running git (gitformat-index(5))."""

from execpolicy.places.repository.bounded import read

MAX_BYTES = 16 * 1024 * 1024
_HEADER = 12
_STAT = 40
"""Bytes of an entry before its object name."""
_SHA1, _SHA256 = 20, 32
_EXTENDED = 0x4000


def names(path: str) -> tuple[str, ...]:
    """Each path that the index has. Empty where there is none, or it is damaged or too large.

    The file does not say how long its object names are, so both lengths are tried.
    """
    data = read(path, MAX_BYTES) or b""
    version = int.from_bytes(data[4:8], "big")
    if len(data) == MAX_BYTES or data[:4] != b"DIRC" or version not in (2, 3, 4):
        return ()
    count = int.from_bytes(data[8:12], "big")
    if not count:
        return ()
    return _names(data, count, version, _SHA1) or _names(data, count, version, _SHA256)


def _names(data: bytes, count: int, version: int, size: int) -> tuple[str, ...]:
    """The paths if object names are of this size; empty where that is not so.

    The names of a right index are sorted, and none is empty (gitformat-index(5)).
    """
    found: list[str] = []
    at, last = _HEADER, b""
    end = len(data) - size
    for _ in range(count):
        flags = int.from_bytes(data[at + _STAT + size : at + _STAT + size + 2], "big")
        start = at + _STAT + size + (4 if flags & _EXTENDED else 2)
        strip = 0
        if version == 4:
            strip, start = _offset(data, start)
        stop = data.find(b"\0", start, end)
        if stop < 0 or strip > len(last):
            return ()
        name = (last[: len(last) - strip] if version == 4 else b"") + data[start:stop]
        if not name or name < last:
            return ()
        found.append(name.decode("utf-8", "surrogateescape"))
        last = name
        at = stop + 1 if version == 4 else at + (stop - at) // 8 * 8 + 8  # padded with NULs
    return tuple(found)


def _offset(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable width, as in an offset delta (gitformat-pack(5)), and where it ends."""
    value = 0
    for first in range(at, min(at + 9, len(data))):
        value = ((value + 1) << 7 if first > at else 0) | (data[first] & 0x7F)
        if data[first] < 0x80:
            return value, first + 1
    return len(data), at
