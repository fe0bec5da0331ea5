"""What was seen of whole directories: the same by their times, or else by what they hold."""

import os
from _collections_abc import Iterable

from execpolicy.store.repeat.looks import ENOENT, Look, again
from execpolicy.support import digest

Entries = tuple[tuple[str, bool, bool], ...]
Listing = tuple[str, tuple[int, ...], str, tuple[tuple[str, bool], ...]]
"""The path, its state if that tells of every later change, a digest of what it holds, and each
link in it with whether that leads to a directory."""

Absent = tuple[str, tuple[int, ...], tuple[str, ...]]
"""The path of a directory, its state, and paths in it at which nothing is."""

LISTED, ITSELF = "scandir", "lstat"


def split(looks: "Iterable[Look]", settled: int) -> "tuple[list[Look], list[Listing]]":
    """The listings among some looks, and the others.

    `settled`: the state of what was changed before, in nanoseconds since the epoch, tells of every
    change since the looks began.
    """
    others: list[Look] = []
    listings: list[Listing] = []
    for look in looks:
        if look[0] == LISTED and isinstance(look[2], tuple):
            listings.append(_listing(look[1], look[2], settled))  # type: ignore[arg-type]
        else:
            others.append(look)
    return others, listings


def _listing(path: str, entries: "Entries", settled: int) -> "Listing":
    links = tuple((name, leads) for name, leads, is_link in entries if is_link)
    return path, _settled(path, settled), _of(entries), links


def part_absent(looks: "Iterable[Look]", settled: int) -> "tuple[list[Look], list[Absent]]":
    """The looks at what is not there, by its directory where the state of that tells all of it, and
    the others. `settled`: see `split`."""
    others: list[Look] = []
    missing: dict[str, list[Look]] = {}
    for look in looks:
        is_absent = look[0] == ITSELF and look[2] == ENOENT
        (missing.setdefault(os.path.dirname(look[1]), []) if is_absent else others).append(look)
    absent: list[Absent] = []
    for directory, found in missing.items():
        state = _settled(directory, settled) if len(found) > 1 else ()
        if state:
            absent.append((directory, state, tuple(path for _, path, _ in found)))
        else:
            others += found
    return others, absent


def is_absent(absent: Absent) -> bool:
    """Whether nothing is at any of the paths."""
    directory, state, paths = absent
    return state == _state(directory) or all(again(ITSELF, path) == ENOENT for path in paths)


def _settled(path: str, settled: int) -> tuple[int, ...]:
    """The state of a directory, if it tells of every later change."""
    state = _state(path)
    return state if state and max(state[-2:]) < settled else ()


def is_same(listing: "Listing") -> bool:
    """Whether a directory holds what it held."""
    path, state, held, links = listing
    if state and state == _state(path):
        return all(os.path.isdir(f"{path}/{name}") is leads for name, leads in links)
    entries = again(LISTED, path)
    return isinstance(entries, tuple) and _of(entries) == held  # type: ignore[arg-type]


def _state(path: str) -> tuple[int, ...]:
    """What changes with every name of a directory, the times last; nothing if it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return (found.st_mode, found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)


def _of(entries: "Entries") -> str:
    return digest.of(repr(entries).encode())
