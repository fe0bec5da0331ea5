"""A bounded walk below a directory, as programs that search a tree walk it."""

import os
from _collections_abc import Iterator
from itertools import islice

from execpolicy.support.disk.bounded import read
from execpolicy.support.path_match import name_fits

MAX_LIST = 1 << 16

_LISTS = (".gitignore", ".ignore", ".rgignore", ".fdignore")
PACKED = frozenset((".git", "node_modules", "site-packages", "dist-packages", "__pycache__"))
"""Directories that programs fill: keys are not kept there, and they hold most files. They are
found themselves, but not what is in them."""


def walk(
    directory: str, visible: bool, limit: int, linked: bool = False
) -> tuple[tuple[str, ...], bool]:
    """Files and links below a directory, those near the top first, and whether that is all.

    Links are not followed. After `limit` entries it ends. `visible` leaves out hidden names, and
    those that a `.gitignore` at the top names for certain, but for what a list of what to ignore
    shows again: `!.env`. What is hidden in such a directory is given, too: a glob of a search may
    bring it back. What cannot be read is left out: no program of this user reads it either. With
    `linked` only the links are given.
    """
    found: list[str] = []
    level, count = [directory], 0
    lists = _Lists(directory) if visible else None
    shown: set[str] = set()
    while level:
        deeper: list[str] = []
        for here in level:
            entries = [*islice(_entries(here), limit - count + 1)]
            count += len(entries)
            if count > limit:
                return tuple(found), False
            if lists:
                lists.read({entry.name for entry in entries}, here)
            for entry in entries:
                name = entry.name
                if lists and here not in shown and lists.leaves_out(name):
                    continue
                if entry.is_dir(follow_symlinks=False) and name not in PACKED:
                    deeper.append(entry.path)
                    if here in shown or name[:1] == ".":
                        shown.add(entry.path)
                elif not linked or entry.is_symlink():
                    found.append(entry.path)
        level = deeper
    return tuple(found), True


def links(directory: str, limit: int) -> tuple[str, ...] | None:
    """Every link below a directory; None where there are more than so many entries."""
    found: list[str] = []
    waiting, count = [directory], 0
    while waiting:
        for entry in _entries(waiting.pop()):
            count += 1
            if count > limit:
                return None
            if entry.is_symlink():
                found.append(entry.path)
            elif entry.is_dir(follow_symlinks=False) and entry.name not in PACKED:
                waiting.append(entry.path)
    return tuple(found)


def _entries(directory: str) -> "Iterator[os.DirEntry[str]]":
    """What is in a directory, as far as it can be read: some may be opened and not listed."""
    try:
        with os.scandir(directory) as entries:
            yield from entries
    except (OSError, ValueError):
        return


class _Lists:
    """What the lists of what to ignore say that were read so far, those above the top first."""

    def __init__(self, top: str) -> None:
        self._shown: set[str] = set()
        self._ignored = _ignored(top)
        here = top
        while here != (above := os.path.dirname(here)):
            self.read(set(_LISTS), above)
            here = above

    def read(self, names: set[str], directory: str) -> None:
        """Read the lists of a directory that has these names."""
        for name in names.intersection(_LISTS):
            shown = (line[1:] for line in _lines(directory, name) if line[:1] == "!")
            self._shown.update(line.rstrip("/").rpartition("/")[2].lower() for line in shown)

    def leaves_out(self, name: str) -> bool:
        """Whether a name is hidden or ignored, and shown by none."""
        if name[:1] != "." and name not in self._ignored:
            return False
        return not any(_may_fit(glob, name.lower()) for glob in self._shown)


def _may_fit(glob: str, name: str) -> bool:
    return bool(set(glob) & set("[\\{")) or name_fits(glob, name)


def _ignored(directory: str) -> frozenset[str]:
    """Names that git certainly ignores everywhere below: plain lines of the top's `.gitignore`.

    None where this is no repository.
    """
    if not os.path.lexists(os.path.join(directory, ".git")):
        return frozenset()
    names = (line.rstrip("/") for line in _lines(directory, ".gitignore") if line[:1] != "#")
    return frozenset(name for name in names if not set(name) & set("*?[/\\"))


def _lines(directory: str, name: str) -> list[str]:
    text = (read(os.path.join(directory, name), MAX_LIST) or b"").decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip()]
