"""A bounded walk below a directory, as programs that search a tree walk it."""

import os
from itertools import islice

from execpolicy.model.place import Below
from execpolicy.support.disk.bounded import read
from execpolicy.support.path_match import name_fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LIST = 1 << 16
MANY = 1000
"""Entries that are looked at before it is asked how many there are."""

_LISTS = (".gitignore", ".ignore", ".rgignore", ".fdignore")
PACKED = frozenset((".git", "node_modules", "site-packages", "dist-packages", "__pycache__"))
"""Directories that programs fill: keys are not kept there, and they hold most files. They are
found themselves, but not what is in them."""


def walk(
    directory: str, visible: bool, limit: int, is_more: "Callable[[], bool] | None" = None
) -> tuple[Below, bool]:
    """What is below a directory, that near the top first, and whether that is all.

    Links are not followed. After `limit` entries it ends, and after some if `is_more` knows that
    there are more than that. `visible` leaves out hidden names, and
    those that a `.gitignore` at the top names for certain, but for what a list of what to ignore
    shows again: `!.env`. What is hidden in such a directory is given, too: a glob of a search may
    bring it back. What cannot be read is left out: no program of this user reads it either.
    """
    found: list[str] = []
    links: list[str] = []
    level, budget = [directory], _Budget(limit, is_more)
    lists = _Lists(directory) if visible else None
    shown: set[str] = set()
    while level:
        deeper: list[str] = []
        for here in level:
            entries = _entries(here, budget.left + 1)
            if budget.is_spent(len(entries)):
                return Below(tuple(found), tuple(links)), False
            if lists:
                lists.read({entry.name for entry in entries}, here)
                if here not in shown:
                    entries = [entry for entry in entries if not lists.leaves_out(entry.name)]
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and entry.name not in PACKED:
                    deeper.append(entry.path)
                    if lists and (here in shown or entry.name[:1] == "."):
                        shown.add(entry.path)
                    continue
                found.append(entry.path)
                if entry.is_symlink():
                    links.append(entry.path)
        level = deeper
    return Below(tuple(found), tuple(links)), True


class _Budget:
    """How many entries may still be looked at."""

    def __init__(self, limit: int, is_more: "Callable[[], bool] | None") -> None:
        self.left, self._is_more = limit, is_more
        self._asks_at = limit - MANY

    def is_spent(self, entries: int) -> bool:
        """Whether there are more than may be, with some that were looked at now."""
        self.left -= entries
        if self._is_more and self.left < self._asks_at:
            self.left, self._is_more = (-1 if self._is_more() else self.left), None
        return self.left < 0


def _entries(directory: str, limit: int) -> "list[os.DirEntry[str]]":
    """So much of what is in a directory, as far as it can be read: some may be opened and not
    listed."""
    found: list[os.DirEntry[str]] = []
    try:
        with os.scandir(directory) as entries:
            found.extend(islice(entries, limit))
    except (OSError, ValueError):
        pass
    return found


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

    None where this is not a repository.
    """
    if not os.path.lexists(os.path.join(directory, ".git")):
        return frozenset()
    names = (line.rstrip("/") for line in _lines(directory, ".gitignore") if line[:1] != "#")
    return frozenset(name for name in names if not set(name) & set("*?[/\\"))


def _lines(directory: str, name: str) -> list[str]:
    text = (read(os.path.join(directory, name), MAX_LIST) or b"").decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip()]
