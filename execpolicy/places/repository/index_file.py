"""The paths in the index of a git repository, without running git (gitformat-index(5))."""

import os

from execpolicy.support.digest import of
from execpolicy.support.disk.bounded import read
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.places.repository.history import Kept
    from execpolicy.policy.name_search import PathNames
    from execpolicy.support.path_match import NameKey

    Lists = Callable[[], Kept | None]
    """Gives what keeps lists of paths from one process to the next, if anything does."""

MAX_BYTES = 16 * 1024 * 1024
LARGE = 1 << 20
"""Bytes of an index of which answers are kept: some ten thousand entries."""
MAX_FOUND = 4096
MAX_SEARCHED = 256 * 1024 * 1024
"""To search bytes takes less than a hundredth of what it takes to read the entries."""
_HEADER = 12
_STAT = 40
"""Bytes of an entry before its object name."""
_SHA1, _SHA256 = 20, 32
_FIXED = _STAT + _SHA1 + 2
"""Bytes of an entry before its name, without more flags."""
_FEW = 256
"""Entries of an index that is read one by one: to prepare for more takes as long."""
_EXTENDED = 0x40
"""In the first byte of its flags: there are two more."""
_MODE = 24
"""Where the mode of an entry stands in it."""
_GITLINK = (0o160000).to_bytes(4, "big")
_SPLIT = b"link"
"""The signature of the extension that says that a shared index has most of the entries."""


class IndexNames(Value):
    """The paths of an index, and those of them that are repositories of their own: submodules."""

    names: tuple[str, ...]
    gitlinks: tuple[str, ...] = ()


class Index:
    """The index of a git directory, read once: for one look at the machine."""

    def __init__(self, git: str) -> None:
        self.git = git
        self._data: tuple[bytes | None] | None = None
        self._names: tuple[IndexNames | None] | None = None
        self._parts: PathNames | None = None
        self._split: bool | None = None

    @property
    def is_split(self) -> bool:
        """Whether another file may have the most of it."""
        if self._split is None:
            self._split = bool(shared(self.git))
        return self._split

    @property
    def data(self) -> bytes | None:
        """Its bytes, as far as they are read."""
        if self._data is None:
            self._data = (read(os.path.join(self.git, "index"), MAX_BYTES),)
        return self._data[0]

    @property
    def names(self) -> tuple[str, ...] | None:
        """Each path that it has; None where that is not certain.

        It is not where the index is damaged, too large or split (git-update-index(1)).
        """
        if self._names is None:
            self._names = (None if self.is_split else _entries(self.data or b""),)
        found = self._names[0]
        return found.names or None if found else None

    @property
    def parts(self) -> "PathNames | None":
        """The same paths, taken apart."""
        if self._parts is None and self.names is not None:
            from execpolicy.policy.name_search import PathNames

            self._parts = PathNames(self.names)
        return self._parts

    @property
    def digest(self) -> str:
        """What is the same for the same paths, whatever else changed; empty where they are not
        known."""
        names = self.names
        return "" if names is None else of("\0".join(names).encode("utf-8", "surrogateescape"))


def index_of(git: str, files: object) -> Index:
    """The index of a git directory; some files know what was read of it before."""
    ask = getattr(files, "index", None)
    found = Index(git) if ask is None else ask(git)
    assert isinstance(found, Index)  # noqa: S101
    return found


def matching(index: Index, keys: "tuple[NameKey, ...]", lists: "Lists") -> tuple[str, ...] | None:
    """The paths that are like a key; None where that is not certain."""

    def sought() -> tuple[str, ...] | None:
        parts = index.parts
        if parts is None:
            return None
        from execpolicy.policy.name_search import NameSearch

        return tuple(NameSearch(keys).among(parts))

    return _remembered(index.git, f"names\0{keys!r}", lists, sought, lambda: index.digest)


def _remembered(
    git: str,
    asked: str,
    lists: "Lists",
    sought: "Callable[[], tuple[str, ...] | None]",
    digest: "Callable[[], str]" = str,
) -> tuple[str, ...] | None:
    """What is sought in an index. Of a large one it is kept as long as that is the same file, for
    git makes another one in its place (gitrepository-layout(5), `index`), or has the same digest:
    `git add` of a change names no other file."""
    state, size = _state(f"{git}/index")
    kept = lists() if size >= LARGE else None
    if kept is None:
        return sought()
    before = kept.recall(f"{git}\0{asked}")
    known: tuple[str, ...] = before if isinstance(before, tuple) else ()
    if known[:1] == (state,):
        return known[2:]
    of_names = digest()
    found = known[2:] if of_names and known[1:2] == (of_names,) else sought()
    if found is not None and len(found) <= MAX_FOUND and _state(f"{git}/index")[0] == state:
        kept.keep(f"{git}\0{asked}", (state, of_names, *found))
    return found


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


def gitlinks(git: str, lists: "Lists" = lambda: None) -> tuple[str, ...] | None:
    """The paths that are repositories of their own; None where that is not certain.

    An index is only taken apart if the mode of such an entry stands anywhere in it.
    """
    if shared(git):  # another file may change
        return _all_gitlinks(git)
    return _remembered(git, "links", lists, lambda: _all_gitlinks(git))


def _all_gitlinks(git: str) -> tuple[str, ...] | None:
    """Those of all files of an index."""
    found, is_split = _gitlinks(os.path.join(git, "index"))
    for name in shared(git) if is_split else ():
        more, _ = _gitlinks(os.path.join(git, name))
        found = None if found is None or more is None else (*found, *more)
    return found


def _gitlinks(path: str) -> tuple[tuple[str, ...] | None, bool]:
    """Those of one file, and whether it may leave entries to another."""
    data = read(path, MAX_SEARCHED) or b""
    whole = len(data) < MAX_SEARCHED
    if whole and _GITLINK not in data:
        return (), _SPLIT in data
    entries = _entries(data)
    return None if entries is None else entries.gitlinks, not whole or _SPLIT in data


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
    if count > _FEW and version < 4 and _GITLINK not in data:
        found = _plain(data, count)
        if found is not None:
            return IndexNames(_decoded(found))
    return _read(data, count, version, _SHA1) or _read(data, count, version, _SHA256)


def _plain(data: bytes, count: int) -> list[bytes] | None:
    """The names of entries that are all as most are; None where one is not.

    What has more flags is not read so. NULs make an entry's length a multiple of eight, and there
    is at least one: so the lengths of the names say where each one stands.
    """
    import re
    from itertools import accumulate

    names = re.compile(rb"(?s).{60}[^\x40-\x7f\xc0-\xff].([^\0]+)\0+").findall(data, _HEADER)[
        :count
    ]
    lengths = [(_FIXED + len(name)) // 8 * 8 + 8 for name in names]
    starts = accumulate(lengths, initial=_HEADER + _FIXED)
    is_whole = len(names) == count and all(map(data.startswith, names, starts))
    return names if is_whole and names == sorted(names) else None


def _read(data: bytes, count: int, version: int, size: int) -> IndexNames | None:
    """The entries if object names are of this size; None where that is not so.

    The names of a right index are sorted, and none is empty (gitformat-index(5)).
    """
    found: list[bytes] = []
    links: list[bytes] | None = [] if _GITLINK in data else None
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
        found.append(name)
        if links is not None and data[at + _MODE : at + _MODE + 4] == _GITLINK:
            links.append(name)
        at = stop + 1 if version == 4 else at + (stop - at) // 8 * 8 + 8  # padded with NULs
    if b"" in found[:1] or found != sorted(found):
        return None
    return IndexNames(_decoded(found), _decoded(links or []))


def _decoded(names: list[bytes]) -> tuple[str, ...]:
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
