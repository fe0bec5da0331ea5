"""What a process sees of the file system, one look each, as plain data that can be compared.

A look is of a kind, at a path. The same function makes what is kept and what it is compared with.
"""

import _operator  # what `operator` is made of
import os
import stat
from _collections_abc import Callable, Iterable

Seen = int | str | None | tuple[int, ...] | tuple[tuple[str, bool, bool], ...] | tuple[str, ...]
"""What a look gave. A number alone is that of an error (errno(3)), or of a truth."""
Look = tuple[str, str, Seen]
"""The kind, the path, and what was seen."""
Names = dict[str, frozenset[str]]
"""The names in each directory that was listed."""

ENOENT = 2
"""There is nothing (errno(3))."""
EINVAL = 22
"""It is not a link (readlink(2))."""
WALKED = "walked"
"""A directory was listed, of whose names some alone count: see `listings.counts`."""
INVALID = -1
"""The path is none, as one with a zero byte."""

PATH_ONLY = getattr(os, "O_PATH", 0)


def all_same(looks: "Iterable[Look]") -> bool:
    """Whether every look gives today what it gave then.

    Most are at the status of a file. They are compared here, without what is made of each for all
    to read: a process that has nothing else to do looks at hundreds.
    """
    for kind, path, seen in looks:
        call = _STATUS.get(kind)
        if call is None:
            if again(kind, path) != seen:
                return False
            continue
        try:
            found = call(path)
        except OSError as error:
            if seen != (error.errno or INVALID):
                return False
        except ValueError:
            if seen != INVALID:
                return False
        else:
            if not isinstance(seen, tuple) or _FIELDS[len(seen) == _OF_FILES](found) != seen:
                return False
    return True


def without_implied(looks: "Iterable[Look]") -> "list[Look]":
    """The looks that say all that every one of these says.

    Where the path itself has the status that it leads to, it is not a link, and leads to the same
    while it has that. Where nothing is, nothing is below it, and what a directory does not list is
    not there.
    """
    every = [*looks]
    itself = {path: seen for kind, path, seen in every if kind == "lstat"}
    missing = {path for path, seen in itself.items() if seen == ENOENT}
    names = dict(map(_listed, filter(_is_list, every)))
    return [look for look in every if not _is_implied(look, itself, missing, names)]


def _is_list(look: "Look") -> bool:
    return look[0] in ("listdir", "scandir") and isinstance(look[2], tuple)


def _listed(look: "Look") -> "tuple[str, frozenset[str]]":
    """A directory that was listed, and its names."""
    found: tuple[str | tuple[str, bool, bool], ...] = look[2]  # type: ignore[assignment]
    return look[1].rstrip("/"), frozenset(e if isinstance(e, str) else e[0] for e in found)


def _is_implied(
    look: "Look", itself: "dict[str, Seen]", missing: "set[str]", names: "Names"
) -> bool:
    kind, path, seen = look
    if kind == "stat" and isinstance(seen, tuple):
        return itself.get(path) == seen
    if kind == "readlink" and seen == EINVAL:
        status = itself.get(path)
        return isinstance(status, tuple) and not stat.S_ISLNK(status[0])  # type: ignore[arg-type]
    return seen == ENOENT and (
        (kind != "lstat" and path in missing) or _is_below_nothing(path, missing, names)
    )


def _is_below_nothing(path: str, missing: "set[str]", names: "Names") -> bool:
    """Whether one of the directories above a path is known not to have the next one."""
    above = ""
    for part in path.split("/")[1:]:
        if above in missing or (above in names and _is_name(part) and part not in names[above]):
            return True
        above = f"{above}/{part}"
    return False


def _is_name(part: str) -> bool:
    """Whether a part of a path is a name that a directory lists."""
    return part not in ("", ".", "..")


def again(kind: str, path: str) -> "Seen":
    """Look once more."""
    try:
        return _above(kind, path) if kind.startswith("above ") else LOOKS[kind](path)
    except OSError as error:
        return error.errno or INVALID
    except ValueError:
        return INVALID


_OF_DIRECTORY = ("st_mode", "st_ino", "st_dev", "st_uid", "st_gid")
_OF_FILE = (*_OF_DIRECTORY, "st_nlink", "st_size", "st_mtime_ns", "st_ctime_ns")
_OF_FILES = len(_OF_FILE)
_FIELDS = (_operator.attrgetter(*_OF_DIRECTORY), _operator.attrgetter(*_OF_FILE))
"""What of a status says that a file is the same, and its content.

Times of a directory tell that its names changed. Who depends on these lists them.
"""
_STATUS = {"stat": os.stat, "lstat": os.lstat}


def of_status(found: os.stat_result) -> tuple[int, ...]:
    """What is kept of a status. The mode, which comes first, tells which fields these are."""
    fields: tuple[int, ...] = _FIELDS[not stat.S_ISDIR(found.st_mode)](found)
    return fields


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


def leads(path: str) -> str:
    """The place that a path leads to, as the kernel says. Raises `OSError`."""
    descriptor = os.open(path, PATH_ONLY | os.O_CLOEXEC)
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


def _scanned(path: str) -> "Seen":
    with os.scandir(path) as entries:
        return of_entries(entries)


def _above(kind: str, path: str) -> tuple[str, ...] | None:
    from execpolicy.support.disk.ancestors import above

    return above(kind, path)


def _session(path: str) -> str | None:
    from execpolicy.store import sessions

    return sessions.read(path)


LOOKS: "dict[str, Callable[[str], Seen]]" = {
    "stat": lambda path: of_status(os.stat(path)),
    "lstat": lambda path: of_status(os.lstat(path)),
    "readlink": os.readlink,
    "listdir": lambda path: tuple(sorted(os.listdir(path))),
    "scandir": _scanned,
    WALKED: _scanned,
    "open": _opened,
    "open itself": lambda path: _opened(path, os.O_NOFOLLOW),
    "leads": leads,
    "session": _session,
    f"access {os.F_OK}": lambda path: os.access(path, os.F_OK),
    f"access {os.X_OK}": lambda path: os.access(path, os.X_OK),
    f"access {os.R_OK}": lambda path: os.access(path, os.R_OK),
    f"access {os.W_OK}": lambda path: os.access(path, os.W_OK),
}
