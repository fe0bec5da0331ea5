"""Whether the index of a repository names a path, without taking all of it apart.

Names stand in the index as they are (gitformat-index(5)), so that a search of its bytes finds each.
What is not certain counts as named: a compressed index (version 4), one in parts.
"""

import os.path

from execpolicy.places.repository.index_file import MAX_SEARCHED, Index
from execpolicy.support.disk.repository import Repository

_LENGTH = 0xFFF
_EXTENDED = 0x4000
_HASH = 20


def tracks(own: "Repository", path: str, index: Index, listed: bool) -> bool:
    """Whether the index may name a path, or anything below it; `listed`: wherever it stands."""
    name = _name(own, path)
    if name == b"." or index.is_split:
        return True
    if not listed and index.is_large:
        from execpolicy.places.repository.index_search import ask

        found = ask(own, lambda search: search.has(name))
        if found is not None:
            return found
    data = index.data
    if not data:
        return os.path.lexists(os.path.join(own.git, "index"))
    if not _is_plain(data):
        return True
    return (
        _find(data, name, b"\0") is not None
        or _find(data, name + b"/", b"") is not None
        or any(_find(data, above + b"/", b"\0") is not None for above in _above(name))
    )


def content(own: "Repository", path: str, index: Index) -> bytes | None:
    """The SHA-1 of a file's content in the index; None where it has none that is certain."""
    name = _name(own, path)
    if index.is_split:
        return None
    if index.is_large:
        from execpolicy.places.repository.index_search import ask

        found = ask(own, lambda search: search.content(name))
        if found is not None:
            return found or None
    data = index.data or b""
    if not _is_plain(data):
        return None
    at = _find(data, name, b"\0")
    if at is None:
        return None
    flags = at - 2 if _length(data, at - 2) == min(len(name), _LENGTH) else at - 4
    return data[flags - _HASH : flags]


def has_more(own: "Repository", directory: str, limit: int) -> bool:
    """Whether the index has certainly more entries than so many below a directory."""
    from execpolicy.places.repository.index_search import ask

    name = _name(own, directory)
    within = b"" if name == b"." else name
    return ask(own, lambda search: search.has_more(within, limit)) is True


def _name(own: "Repository", path: str) -> bytes:
    """A path as the index names it."""
    return os.path.relpath(path, own.top).encode("utf-8", "surrogateescape")


def _is_plain(data: bytes) -> bool:
    """Whether names stand in it whole."""
    return (
        len(data) < MAX_SEARCHED
        and data[:4] == b"DIRC"
        and int.from_bytes(data[4:8], "big") in (2, 3)
    )


def _above(name: bytes) -> list[bytes]:
    """The directories above: a sparse index may have these in the place of what is below."""
    return [name[:at] for at, char in enumerate(name) if char == 0x2F]


def _find(data: bytes, name: bytes, end: bytes) -> int | None:
    """Where an entry begins whose name begins so, and after it comes `end`."""
    at = data.find(name + end)
    while at >= 0:
        stop = data.find(b"\0", at)
        length = min(stop - at, _LENGTH)
        if _length(data, at - 2) == length:
            return at
        if _length(data, at - 4) == length and data[at - 4] << 8 & _EXTENDED:
            return at
        at = data.find(name + end, at + 1)
    return None


def _length(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big") & _LENGTH
