"""The links in directories that are protected as a whole, which a walk does not enter."""

import os
from _collections_abc import Collection, Iterable, Iterator

from execpolicy.sandbox.scan.status import in_order
from execpolicy.support import directories

MAX_NAMES, DEPTH = 2_000, 4
"""Names that are looked at in all of them, and how far below each."""
_OF_GIT = ("hooks", "info")
"""What of a git directory is looked at: its objects are many, and no links."""


def links_in(tops: "Iterable[str]", without: "Collection[str]" = ()) -> "Iterator[tuple[str, str]]":
    """Each link with the directory of these that it is below, the uppermost links first; of some
    directories none."""
    # What this program keeps changes with each run, and no link of it leads anywhere.
    own = [os.path.realpath(d) for d in (directories.state(), os.path.dirname(directories.cache()))]
    waiting = [
        start for top in tops if top not in own and top not in without for start in _starts(top)
    ]
    left = MAX_NAMES
    for top, here, depth in waiting:
        if os.path.islink(here):
            yield top, here
            continue
        listed = in_order(here) if left > 0 else []
        left -= len(listed)
        for entry in listed:
            if entry.is_symlink():
                yield top, entry.path
            elif (
                depth < DEPTH and entry.path not in without and entry.is_dir(follow_symlinks=False)
            ):
                waiting.append((top, entry.path, depth + 1))


def _starts(top: str) -> "list[tuple[str, str, int]]":
    if top.endswith("/.git"):
        return [(top, f"{top}/{name}", DEPTH) for name in _OF_GIT]
    return [(top, top, 0)]
