"""A bounded walk below a directory, as programs that search a tree walk it."""

import os

from execpolicy.places.repository.bounded import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LIST = 1 << 16

_NOWHERE: frozenset[str] = frozenset()
_LISTS = (".gitignore", ".ignore", ".rgignore")
_PACKED = frozenset((".git", "node_modules", "site-packages", "dist-packages", "__pycache__"))
"""Directories that programs fill: keys are not kept there, and they hold most files. They are
found themselves, but not what is in them."""


def walk(directory: str, visible: bool, limit: int) -> tuple[tuple[str, ...], bool]:
    """Files and links below a directory, those near the top first, and whether that is all.

    Links are not followed. After `limit` entries it ends. `visible` leaves out hidden names, and
    those that a `.gitignore` at the top names for certain. What cannot be read is left out: no
    program of this user reads it either.
    """
    found: list[str] = []
    level, count = [directory], 0
    visible = visible and not _takes_back(directory)
    ignored = _ignored(directory) if visible else _NOWHERE
    while level:
        deeper: list[str] = []
        for here in level:
            for entry in _entries(here):
                count += 1
                if count > limit:
                    return tuple(found), False
                name = entry.name
                if visible and (name[:1] == "." or name in ignored):
                    continue
                if entry.is_dir(follow_symlinks=False) and name not in _PACKED:
                    deeper.append(entry.path)
                else:
                    found.append(entry.path)
        level = deeper
    return tuple(found), True


def _entries(directory: str) -> "Iterator[os.DirEntry[str]]":
    """What is in a directory, as far as it can be read: some may be opened and not listed."""
    try:
        with os.scandir(directory) as entries:
            yield from entries
    except (OSError, ValueError):
        return


def _takes_back(directory: str) -> bool:
    """Whether a list of what to ignore shows something again: `!.env` shows a hidden file."""
    return any(line[:1] == "!" for name in _LISTS for line in _lines(directory, name))


def _ignored(directory: str) -> frozenset[str]:
    """Names that git certainly ignores everywhere below: plain lines of the top's `.gitignore`.

    None where this is no repository.
    """
    if not os.path.lexists(os.path.join(directory, ".git")):
        return _NOWHERE
    names = (line.rstrip("/") for line in _lines(directory, ".gitignore") if line[:1] != "#")
    return frozenset(name for name in names if not set(name) & set("*?[/\\"))


def _lines(directory: str, name: str) -> list[str]:
    text = (read(os.path.join(directory, name), MAX_LIST) or b"").decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip()]
