"""Files of a project that have another name elsewhere: hard links that a mount does not stop.

What is written through such a name is written outside, and what is hidden elsewhere is read here.
"""

import os
from _collections_abc import Iterable, Iterator

from execpolicy.support import watching
from execpolicy.support.record import Value

MAX_LINKS = 200
"""Names that lead out to what nothing protects, and are held one by one. Where there are more, a
copy of the whole was made by links."""
_INSTALLED = """
    node_modules bower_components jspm_packages .pnpm-store .yarn
    .venv venv .tox .nox .eggs __pypackages__
"""
INSTALLED = frozenset(_INSTALLED.split())
"""Directories that installers fill with links into their caches."""


class Linked(Value):
    """A name of a file that has more than one: in its directory, with the number of them all."""

    name: str
    device: int
    inode: int
    names: int


def linked(entries: "Iterable[os.DirEntry[str]]") -> tuple[Linked, ...]:
    """The files among some entries that have more than one name. Who keeps what depends on them
    keeps them, and not how each file is."""
    found = []
    with watching.Aside():
        for entry in entries:
            try:
                if entry.is_file(follow_symlinks=False):
                    state = os.lstat(entry.path)  # an entry keeps what it saw first
                    if state.st_nlink > 1:
                        one = Linked(entry.name, state.st_dev, state.st_ino, state.st_nlink)
                        found.append(one)
            except OSError:
                continue
    return tuple(found)


def is_installed(inside: str) -> bool:
    """Whether an installer made what lies at this path below a root."""
    return not INSTALLED.isdisjoint(inside.split("/"))


def oldest(paths: "Iterable[str]") -> "list[str]":
    """As many of these paths as are held, those first that were changed long ago.

    A command may give new names to its own files, which changes them; what is held it cannot.
    """
    every = [*paths]
    return every if len(every) <= MAX_LINKS else sorted(every, key=_changed)[:MAX_LINKS]


def _changed(path: str) -> int:
    try:
        return os.lstat(path).st_ctime_ns
    except OSError:
        return 0


def in_directory(directory: str) -> tuple[Linked, ...]:
    """The same for a directory; none where it cannot be read."""
    try:
        with os.scandir(directory) as entries:
            return linked(sorted(entries, key=lambda entry: entry.name))
    except OSError:
        return ()


def leading_out(found: "Iterable[tuple[str, Linked]]") -> "Iterator[tuple[str, tuple[int, int]]]":
    """The paths, each with device and inode, of files that have a name beside those found."""
    known: dict[tuple[int, int], list[tuple[str, int]]] = {}
    for directory, one in found:
        place = f"{directory}/{one.name}"
        known.setdefault((one.device, one.inode), []).append((place, one.names))
    for inode, places in known.items():
        if any(names > len(places) for _, names in places):
            yield from ((path, inode) for path, _ in places)
