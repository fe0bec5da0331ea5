"""The paths in the index of a git repository, without running git (gitformat-index(5))."""

from execpolicy.places.bounded import read

MAX_BYTES = 16 * 1024 * 1024
_HEADER = 12
_FIXED = 62
"""Bytes of an entry before its name, with an object name of SHA-1."""
_EXTENDED = 0x4000


def names(path: str) -> tuple[str, ...]:
    """Each path that the index has. Empty where there is none, or none of a known form.

    One with SHA-256, and one with compressed names (version 4) is not taken apart.
    """
    data = read(path, MAX_BYTES) or b""
    if (
        len(data) == MAX_BYTES
        or data[:4] != b"DIRC"
        or int.from_bytes(data[4:8], "big") not in (2, 3)
    ):
        return ()
    found, at = [], _HEADER
    for _ in range(int.from_bytes(data[8:12], "big")):
        flags = int.from_bytes(data[at + _FIXED - 2 : at + _FIXED], "big")
        start = at + _FIXED + (2 if flags & _EXTENDED else 0)
        end = data.find(b"\0", start)
        if end < 0:
            return ()
        found.append(data[start:end].decode("utf-8", "surrogateescape"))
        at += (end - at) // 8 * 8 + 8  # padded with NULs, at least one
    return tuple(found)
