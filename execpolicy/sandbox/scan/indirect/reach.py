"""Follows links to what they lead to below the directories of a walk."""

import os
from _collections_abc import Collection, Iterable, Iterator

from execpolicy.sandbox.scan.indirect.aliases import Aliases, links_on
from execpolicy.sandbox.scan.status import in_order
from execpolicy.support import directories
from execpolicy.support.path_match import below


class Reach:
    """The links of one walk, of which the `aliases` are known by names. `roots` may be written."""

    def __init__(self, aliases: Aliases) -> None:
        self._aliases = aliases
        self.roots: tuple[str, ...] = ()
        self._outside: dict[str, str] = {}
        self._waiting: list[str] = []

    def is_below_root(self, path: str) -> bool:
        """Whether a path lies below a root."""
        return any(below(path, root) for root in self.roots)

    def take(self, link: str) -> None:
        """What a link leads to has the names, too, that it has through the link, and so has what
        each link on the way leads to."""
        if not self._aliases.counts(link):
            return
        real = os.path.realpath(link)
        if not self.is_below_root(real) and not any(below(root, real) for root in self.roots):
            self._outside[real] = link
            return
        for name in dict.fromkeys((link, *filter(self.is_below_root, links_on(link)))):
            real = os.path.realpath(name)
            if self._aliases.add(real, name):
                self._waiting.append(real)

    def waiting(self) -> "Iterator[str]":
        """What has a new name, and is to be looked at again by it, once each."""
        for _, name in self._aliases.known:
            self.take(name)
        while self._waiting:
            yield self._waiting.pop()

    def names(self) -> "Iterator[str]":
        """The names below a root that are links, or were."""
        yield from (name for _, name in self._aliases.known if self.is_below_root(name))

    def links_into_roots(
        self, tops: "Iterable[str]", sessions: "Collection[str]" = ()
    ) -> "Iterator[tuple[str, str]]":
        """Each link below these directories that leads below a root from elsewhere, and its name by
        the path that is protected. Of sessions and repositories elsewhere nothing is looked at."""
        kept = (top for top in tops if self.is_below_root(top) or not top.endswith("/.git"))
        for top, link in links_in(kept, sessions):
            real = os.path.realpath(link)
            if self.is_below_root(real) and not below(real, top):
                yield link, self._outside.get(top, top) + link[len(top) :]


def stands(path: str) -> bool:
    """Whether a path is where it says: no link is on the way to its last name."""
    above = os.path.dirname(path)
    return os.path.realpath(above) == above


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
