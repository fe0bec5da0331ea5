"""The links in directories that are protected as a whole, which a walk does not enter."""

import os

from execpolicy.support import directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_NAMES, DEPTH = 2_000, 4
"""Names that are looked at in all of them, and how far below each."""
_OF_GIT = frozenset(("hooks", "info"))
"""What of a git directory may be a link that somebody made."""


def links_in(tops: "Iterable[str]") -> "Iterator[tuple[str, str]]":
    """Each link with the directory of these that it is below, the uppermost links first."""
    own = directories.state(), os.path.dirname(directories.cache())
    waiting, left = [(top, top, 0) for top in tops if top not in own], MAX_NAMES
    for top, here, depth in waiting:
        listed = _listed(here) if left > 0 else []
        left -= len(listed)
        for entry in listed:
            if entry.is_symlink():
                yield top, entry.path
            elif depth < DEPTH and entry.is_dir(follow_symlinks=False) and _counts(here, entry):
                waiting.append((top, entry.path, depth + 1))


def _counts(here: str, entry: "os.DirEntry[str]") -> bool:
    """Whether to look into a directory: objects of git are many, and no links."""
    return not here.endswith("/.git") or entry.name in _OF_GIT


def _listed(directory: str) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(directory) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
