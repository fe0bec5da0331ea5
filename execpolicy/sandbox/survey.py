"""Looks at the disk for a plan: what of it rules and places speak of, in one bounded walk."""

import os
import stat

from execpolicy.path_match import below
from execpolicy.sandbox.names import Heard, NameIndex, tightens
from execpolicy.sandbox.plan import Found
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ENTRIES = 200_000
"""Names that a walk looks at; what it did not look into is read-only then."""
_BARE = frozenset(("HEAD", "objects", "refs"))
"""What git takes a directory for a git directory by (`is_git_directory` of its setup.c)."""
_NEVER = frozenset(("credentials",))


class Noted(Value):
    """A protected path as it stood at a moment: device, inode, and where it leads if a link."""

    path: str
    device: int
    inode: int
    target: str = ""


class Walk:
    """What a walk of some directories found.

    `found` is for the plan, by real path. `noted` are the paths by their names alone, links too,
    to be compared with those of a later walk. `closed` was not looked into.
    """

    __slots__ = ("_index", "_left", "_roots", "closed", "found", "noted")

    def __init__(self, index: NameIndex, limit: int = MAX_ENTRIES) -> None:
        self.found: dict[str, Found] = {}
        self.noted: dict[str, Noted] = {}
        self.closed: list[str] = []
        self._index, self._left = index, limit
        self._roots: tuple[str, ...] = ()

    def below(self, roots: "Iterable[str]") -> "Walk":
        """Look at all that lies below these directories."""
        self._roots = tuple(roots)
        for root in self._roots:
            self._directory(root)
        return self

    def fixed(self) -> "Walk":
        """Look at the paths that patterns name by themselves."""
        for path, one in self._index.fixed():
            if os.path.lexists(path):
                places = (one.place,) if one.place else ()
                self._add(path, Heard(places, (one.rule,) if one.rule else ()))
        return self

    def entry(self, path: str, heard: Heard) -> None:
        """Take up one path that is known to be there."""
        self._add(path, heard)

    def _directory(self, top: str) -> None:
        waiting = [top]
        while waiting:
            here = waiting.pop()
            if self._left <= 0:
                self.closed.append(here)
                continue
            try:
                with os.scandir(here) as entries:
                    listed = list(entries)
            except OSError:
                continue
            self._left -= len(listed)
            if _BARE <= {entry.name for entry in listed} and here != top:
                self._add(here, _REPOSITORY)
                continue
            waiting += self._looked(listed)

    def _looked(self, entries: "list[os.DirEntry[str]]") -> "Iterator[str]":
        """The directories to go on with."""
        for entry in entries:
            heard = self._index.heard(entry.path, entry.name)
            if heard is not None:
                self._add(entry.path, heard)
                if not _goes_on(heard):
                    continue
            if entry.is_symlink():
                if heard is None:
                    self._link(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                yield entry.path

    def _link(self, path: str) -> None:
        """A link that leads to what is protected counts as that: it is written through."""
        target = os.path.realpath(path)
        heard = self._index.heard(target, target.rpartition("/")[2])
        if heard is not None and _protects(heard):
            self.note(path)

    def _add(self, path: str, heard: Heard) -> None:
        if _protects(heard) and any(below(path, root) for root in self._roots):
            self.note(path)
        real = os.path.realpath(path)
        try:
            mode = os.stat(real).st_mode
        except OSError:
            return
        self._put(real, heard, mode)

    def _put(self, real: str, heard: Heard, mode: int) -> None:
        known = self.found.get(real)
        places = tuple(place.place for place in heard.places) + ("control",) * heard.repository
        rules = heard.rules
        if known is not None:
            places = tuple(dict.fromkeys((*known.places, *places)))
            rules = tuple({id(rule): rule for rule in (*known.rules, *rules)}.values())
        named = tuple(p for p in places if any(self._names(rule, p) for rule in rules))
        said = next((str(o.origin) for o in (*rules, *heard.places) if o.origin), "")
        self.found[real] = Found(real, _kind(mode), places, rules, named, said)

    def _names(self, rule: object, place: str) -> bool:
        """Whether a rule that allows was written for this very class of paths."""
        from execpolicy.rule import PathRule

        if not isinstance(rule, PathRule) or tightens(rule):
            return False
        return any(self._index.reaches(path, place) for path in rule.paths)

    def note(self, path: str) -> None:
        """Keep how a path stands now, if it is there."""
        try:
            state = os.lstat(path)
            target = os.readlink(path) if stat.S_ISLNK(state.st_mode) else ""
        except OSError:
            return
        self.noted[path] = Noted(path, state.st_dev, state.st_ino, target)


_REPOSITORY = Heard(steers=True, repository=True)


def _goes_on(heard: Heard) -> bool:
    """Whether what lies below is looked at too: a rule about a directory may have exceptions."""
    return not heard.places


def _protects(heard: Heard) -> bool:
    """Whether nothing new of this name may appear."""
    if heard.repository or any(place.place not in _NEVER for place in heard.places):
        return True
    if heard.places:
        return heard.steers
    return any(tightens(rule) and "write" in rule.modes for rule in heard.rules)


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "directory"
    return "socket" if stat.S_ISSOCK(mode) else "file"
