"""What a process sees of the file system, one look each, as plain data that can be compared.

A look is of a kind, at a path. The same function makes what is kept and what it is compared with.
"""

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Seen = int | str | None | tuple[int, ...] | tuple[tuple[str, bool, bool], ...] | tuple[str, ...]
    """What a look gave. A number alone is that of an error (errno(3)), or of a truth."""
    Look = tuple[str, str, Seen]
    """The kind, the path, and what was seen."""

INVALID = -1
"""The path is none, as one with a zero byte."""

PATH_ONLY = getattr(os, "O_PATH", 0)


def is_same(look: "Look") -> bool:
    """Whether a look gives today what it gave then."""
    kind, path, seen = look
    return again(kind, path) == seen


def again(kind: str, path: str) -> "Seen":
    """Look once more."""
    try:
        return LOOKS[kind](path)
    except OSError as error:
        return error.errno or INVALID
    except ValueError:
        return INVALID


def of_status(found: os.stat_result) -> tuple[int, ...]:
    """What of a status says that a file is the same, and its content.

    Times of a directory tell that its names changed. Who depends on these lists them.
    """
    same = (found.st_mode, found.st_ino, found.st_dev, found.st_uid, found.st_gid)
    if stat.S_ISDIR(found.st_mode):
        return same
    return (*same, found.st_nlink, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def of_entries(entries: "Iterable[os.DirEntry[str]]") -> tuple[tuple[str, bool, bool], ...]:
    """The names of a directory, with what `is_dir` and `is_symlink` say of each."""
    return tuple(sorted((e.name, e.is_dir(), e.is_symlink()) for e in entries))


def _opened(path: str, more: int = 0) -> tuple[int, ...]:
    """The state of a file whose content was read. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | more)
    try:
        return of_status(os.fstat(descriptor))
    finally:
        os.close(descriptor)


def _leads(path: str) -> str:
    """The place that a path leads to, as the kernel says. Raises `OSError`."""
    descriptor = os.open(path, PATH_ONLY | os.O_CLOEXEC)
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


def _scanned(path: str) -> "Seen":
    with os.scandir(path) as entries:
        return of_entries(entries)


def _session(path: str) -> str | None:
    from execpolicy.store import sessions

    return sessions.read(path)


LOOKS: "dict[str, Callable[[str], Seen]]" = {
    "stat": lambda path: of_status(os.stat(path)),
    "lstat": lambda path: of_status(os.lstat(path)),
    "readlink": os.readlink,
    "listdir": lambda path: tuple(sorted(os.listdir(path))),
    "scandir": _scanned,
    "open": _opened,
    "open itself": lambda path: _opened(path, os.O_NOFOLLOW),
    "leads": _leads,
    "session": _session,
    f"access {os.F_OK}": lambda path: os.access(path, os.F_OK),
    f"access {os.X_OK}": lambda path: os.access(path, os.X_OK),
    f"access {os.R_OK}": lambda path: os.access(path, os.R_OK),
    f"access {os.W_OK}": lambda path: os.access(path, os.W_OK),
}
