"""The paths in the index of a git repository, without running git (gitformat-index(5))."""

import os

from execpolicy.support.disk.bounded import read
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.places.repository.history import Kept
    from execpolicy.places.repository.index_blocks import Block
    from execpolicy.support.disk.repository import Repository
    from execpolicy.support.path_match import NameKey

    Lists = Callable[[], Kept | None]
    """Gives what keeps lists of paths from one process to the next, if anything does."""
    _Found = tuple[tuple[str, ...], tuple[Block, ...]]
    """What was sought, and what was found in each block, where it was read so."""

MAX_BYTES = 16 * 1024 * 1024
LARGE = 1 << 20
"""Bytes of an index of which answers are kept: some ten thousand entries."""
MAX_FOUND = 4096
MAX_SEARCHED = 256 * 1024 * 1024
"""To search bytes takes less than a tenth of what it takes to read the entries."""
_HEADER = 12
_STAT = 40
"""Bytes of an entry before its object name."""
_SHA1, _SHA256 = 20, 32
_FEW = 256
"""Entries of an index that is read one by one: to prepare for more takes as long."""
_LENGTH = 0xFFF
_EXTENDED = 0x40
"""In the first byte of its flags: there are two more."""
_MODE = 24
"""Where the mode of an entry stands in it."""
_GITLINK = (0o160000).to_bytes(4, "big")
_SPLIT = b"link"
"""The signature of the extension that says that a shared index has most of the entries."""


class IndexNames(Value):
    """The paths of an index, and those of them that are repositories of their own: submodules."""

    names: "Sequence[bytes]"
    gitlinks: "Sequence[bytes]" = ()


class Index:
    """The index of a git directory, read once: for one look at the machine."""

    def __init__(self, git: str) -> None:
        self.git = git
        self._data: tuple[bytes | None] | None = None
        self._entries: tuple[IndexNames | None] | None = None
        self._split: bool | None = None

    @property
    def is_split(self) -> bool:
        """Whether another file may have the most of it."""
        if self._split is None:
            self._split = bool(shared(self.git))
        return self._split

    @property
    def is_large(self) -> bool:
        """Whether to read all of it takes long."""
        return _state(f"{self.git}/index")[1] >= LARGE

    @property
    def data(self) -> bytes | None:
        """Its bytes, as far as they are read."""
        if self._data is None:
            self._data = (read(os.path.join(self.git, "index"), MAX_SEARCHED),)
        return self._data[0]

    @property
    def entries(self) -> IndexNames | None:
        """What it has; None where that is not certain.

        It is not where the index is damaged, too large or split (git-update-index(1)).
        """
        if self._entries is None:
            self._entries = (None if self.is_split else _entries(self.data or b""),)
        found = self._entries[0]
        return found if found and found.names else None

    @property
    def names(self) -> tuple[str, ...] | None:
        """Each path that it has; None where that is not certain."""
        return _decoded(self.entries.names) if self.entries else None


def index_of(git: str, files: object) -> Index:
    """The index of a git directory; some files know what was read of it before."""
    ask = getattr(files, "index", None)
    found = Index(git) if ask is None else ask(git)
    assert isinstance(found, Index)  # noqa: S101
    return found


def matching(
    own: "Repository", index: Index, keys: "tuple[NameKey, ...]", lists: "Lists"
) -> tuple[str, ...] | None:
    """The paths that are like a key; None where that is not certain."""

    def sought(before: "tuple[Block, ...]") -> "_Found | None":
        from execpolicy.policy.name_patterns import LikeNames

        like = LikeNames(keys).among
        if index.is_large and not index.is_split:
            from execpolicy.places.repository import index_blocks

            found = index_blocks.read(own, like, before, MAX_BYTES)
            if found is not None:
                return tuple(name for block in found for name in block[-1]), found
        return None if index.entries is None else (like(index.entries.names), ())

    return _remembered(index.git, f"blocks\0{keys!r}", lists, sought)


def _remembered(
    git: str,
    asked: str,
    lists: "Lists",
    sought: "Callable[[tuple[Block, ...]], _Found | None]",
) -> tuple[str, ...] | None:
    """What is sought in an index. Of a large one it is kept as long as that is the same file, for
    git makes another one in its place (gitrepository-layout(5), `index`); what was found in its
    blocks, as long as they are the same."""
    state, size = _state(f"{git}/index")
    kept = lists() if size >= LARGE else None
    before = kept.recall(f"{git}\0{asked}") if kept else None
    was, names, blocks = before if isinstance(before, tuple) and len(before) == 3 else ("", (), ())
    if state and was == state:
        return names
    found = sought(blocks)
    if found is None:
        return None
    if kept and len(found[0]) <= MAX_FOUND and _state(f"{git}/index")[0] == state:
        kept.keep(f"{git}\0{asked}", (state, *found))
    return found[0]


def _state(path: str) -> tuple[str, int]:
    """What is another with each change of a file, and its size."""
    try:
        found = os.stat(path)
    except OSError:
        return "", 0
    times = f"{found.st_mtime_ns} {found.st_ctime_ns}"
    return f"{found.st_ino} {found.st_size} {times}", found.st_size


def names(git: str) -> tuple[str, ...] | None:
    """Each path that the index of a git directory has; None where that is not certain."""
    return Index(git).names


def gitlinks(
    own: "Repository", index: Index, lists: "Lists" = lambda: None
) -> tuple[str, ...] | None:
    """The paths that are repositories of their own; None where that is not certain.

    An index is only taken apart if the mode of such an entry stands anywhere in it.
    """
    if index.is_split:  # another file may change
        return _all_gitlinks(index)

    def sought(_: object) -> "_Found | None":
        found = () if index.is_large and _has_none(own) else _all_gitlinks(index)
        return None if found is None else (found, ())

    return _remembered(index.git, "gitlinks", lists, sought)


def _has_none(own: "Repository") -> bool:
    """Whether the mode of such an entry stands nowhere in a large index."""
    from execpolicy.places.repository.index_search import ask

    return ask(own, lambda search: search.may_have_gitlink(MAX_SEARCHED)) is False


def _all_gitlinks(index: Index) -> tuple[str, ...] | None:
    """Those of all files of an index."""
    data = index.data or b""
    found = _gitlinks(data)
    is_split = index.is_split and (_SPLIT in data or len(data) == MAX_SEARCHED)
    for name in shared(index.git) if is_split else ():
        more = _gitlinks(read(os.path.join(index.git, name), MAX_SEARCHED) or b"")
        found = None if found is None or more is None else (*found, *more)
    return found


def _gitlinks(data: bytes) -> tuple[str, ...] | None:
    """Those of one file."""
    if len(data) < MAX_SEARCHED and not _has_gitlink(data):
        return ()
    entries = _entries(data)
    return None if entries is None else _decoded(entries.gitlinks)


def _has_gitlink(data: bytes) -> bool:
    """Whether the mode of one stands there."""
    if len(data) < LARGE:
        return _GITLINK in data
    import re  # of what is rare in it, its third byte is first

    return re.search(rb"\xe0\0(?<=\0\0\xe0\0)", data) is not None


def shared(git: str) -> tuple[str, ...]:
    """The files of a git directory that have the most of a split index.

    A directory that cannot be listed may have one of any name.
    """
    try:
        return tuple(name for name in os.listdir(git) if name.startswith("sharedindex."))
    except OSError:
        return ("",)


def _entries(data: bytes) -> IndexNames | None:
    """What an index has; None where it is missing, empty, damaged or too large.

    The file does not say how long its object names are, so both lengths are tried.
    """
    version = int.from_bytes(data[4:8], "big")
    if len(data) >= MAX_BYTES or data[:4] != b"DIRC" or version not in (2, 3, 4):
        return None
    count = int.from_bytes(data[8:12], "big")
    if count > _FEW and version < 4:
        from execpolicy.places.repository.index_plain import plain

        found = plain(data[_HEADER:], count)
        if found is not None:
            return IndexNames(found)
    return _read(data, count, version, _SHA1) or _read(data, count, version, _SHA256)


def _read(data: bytes, count: int, version: int, size: int) -> IndexNames | None:
    """The entries if object names are of this size; None where that is not so.

    The names of a right index are sorted, and none is empty (gitformat-index(5)).
    """
    found: list[bytes] = []
    links: list[bytes] | None = [] if _has_gitlink(data) else None
    at, end, last = _HEADER, len(data) - size, b""
    for _ in range(count):
        flags = at + _STAT + size
        if flags >= end:
            return None
        start = flags + (4 if data[flags] & _EXTENDED else 2)
        strip = 0
        if version == 4:
            strip, start = _offset(data, start)
        stop = data.find(b"\0", start, end)
        if stop < 0 or strip > len(last):
            return None
        name = data[start:stop]
        if version == 4:
            name = last = last[: len(last) - strip] + name
        told = int.from_bytes(data[flags : flags + 2], "big") & _LENGTH
        if told != min(len(name), _LENGTH):  # by which git goes to the next entry
            return None
        found.append(name)
        if links is not None and data[at + _MODE : at + _MODE + 4] == _GITLINK:
            links.append(name)
        at = stop + 1 if version == 4 else at + (stop - at) // 8 * 8 + 8  # padded with NULs
    if b"" in found[:1] or found != sorted(found):
        return None
    return IndexNames(found, links or ())


def _decoded(names: "Sequence[bytes]") -> tuple[str, ...]:
    text = b"\0".join(names).decode("utf-8", "surrogateescape")
    return tuple(text.split("\0")) if names else ()


def _offset(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable width, as in an offset delta (gitformat-pack(5)), and where it ends."""
    value = 0
    for first in range(at, min(at + 9, len(data))):
        value = ((value + 1) << 7 if first > at else 0) | (data[first] & 0x7F)
        if data[first] < 0x80:
            return value, first + 1
    return len(data), at
