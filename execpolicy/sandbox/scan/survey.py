"""Looks at the disk for a plan: what of it rules and places name, in one bounded walk."""

import os
import stat
from errno import ENAMETOOLONG

from execpolicy.places.disk import Disk
from execpolicy.sandbox.plan import Found
from execpolicy.sandbox.scan.git import control_paths
from execpolicy.sandbox.scan.indirect.aliases import links_on
from execpolicy.sandbox.scan.indirect.reach import Reach, stands
from execpolicy.sandbox.scan.links import Linked, is_installed, leading_out, linked, oldest
from execpolicy.sandbox.scan.names import OWN, SECRET, NameIndex, NameMatch, protects, tightens
from execpolicy.sandbox.scan.protected_path import ProtectedPath
from execpolicy.sandbox.scan.status import (
    Unseen,
    entries_of,
    in_order,
    is_empty,
    kind,
    linked_inode,
)
from execpolicy.sandbox.walls import MAX_PATH, is_mountable
from execpolicy.support.disk.repository import COMMON, LAYOUT, is_laid_out
from execpolicy.support.path_match import below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from execpolicy.model.rule import Origin
    from execpolicy.sandbox.scan.home import Cover
    from execpolicy.sandbox.scan.names import DeclaredPattern
    from execpolicy.sandbox.scan.opened import Openings

MAX_ENTRIES = 200_000
"""Names that a walk looks at; of what lies beyond it looks at the names alone."""
MAX_NAMES = 2_000_000
"""Names of what is only read; what is beyond them is not there."""
MAX_HOME, HOME_DEPTH = 5_000, 3
"""Names of a home that are looked at, and how far below it."""
_LONG = (MAX_PATH - 256) // 4
"""Characters of a directory's path from which on a name in it may make a path too long."""
_PARTS = frozenset((*LAYOUT, COMMON))


class Walk:
    """What a walk of some directories found.

    `found` is for the plan, by real path. `noted` are the paths by their names alone, links too,
    to be compared with those of a later walk. `directories` were looked into, `closed` were not:
    beyond `limit` names, what cannot be read, and what is `long`, where paths are too long to be
    protected. What is `unseen` may hold keys. With `openings` all that is opened and looked into
    but for what is `closed` from the beginning. `linked` are files with several names, by
    directory, but for those that an installer made.
    """

    __slots__ = (
        *("_beyond", "_index", "_left", "_openings", "_out", "_reach", "_roots", "_tracked"),
        *("closed", "directories", "found", "linked", "long", "noted", "unseen"),
    )

    def __init__(
        self,
        index: NameIndex,
        limit: int = MAX_ENTRIES,
        openings: "Openings | None" = None,
        closed: "Iterable[str]" = (),
    ) -> None:
        self.found: dict[str, Found] = {}
        self.noted: dict[str, ProtectedPath] = {}
        self.closed: list[str] = [*closed]
        self.long: list[str] = []
        self.unseen: list[str] = []
        self._beyond: list[str] = []
        self.directories: list[str] = []
        self.linked: dict[str, tuple[Linked, ...]] = {}
        self._index, self._left = index, limit
        self._openings = openings
        self._roots: tuple[str, ...] = ()
        self._tracked: dict[str, bool] = {}
        self._reach, self._out = Reach(index.aliases), Unseen("\0", (), ())

    def below(self, roots: "Iterable[str]") -> "Walk":
        """Look at all that lies below these directories."""
        self._roots = self._reach.roots = tuple(roots)
        for root in self._roots:
            self._directory(root)
        return self

    def home_names(self, covered: "Cover") -> "Walk":
        """Look at the names in a home, and at what of it is to be searched and the directories
        beside the roots, as far as a short walk comes."""
        home = covered.home
        listed = entries_of(home)
        if listed is not None and home != "/":
            # Files that programs write all the time; with several names one may be the project's.
            files = () if any(self.linked.values()) else covered.files(listed)
            self._out = Unseen(home, listed, files)
        for _ in self._looked([e for e in listed or [] if not self._out.has(e.path)], links=False):
            pass
        tops = [path for path in covered.searched if path not in self._roots]
        for root in self._roots:
            parent = os.path.dirname(root)
            if parent != "/" and not below(parent, home):
                listed = entries_of(parent) or []
                tops += [*self._looked(listed, links=False)]
        self._briefly([path for path in tops if not self._reach.is_below_root(path)])
        return self

    def _briefly(self, tops: "Iterable[str]") -> None:
        """Look at directories, the nearest to the tops first."""
        waiting, left = [(path, 1) for path in tops], MAX_HOME
        while waiting and left > 0:
            here, depth = waiting.pop(0)
            listed = entries_of(here) or []
            left -= len(listed)
            for path in self._looked(listed, links=False):
                if depth < HOME_DEPTH and not self._is_made_in(path, here):
                    waiting.append((path, depth + 1))

    def _is_made_in(self, path: str, directory: str) -> bool:
        """Whether a build or an installer makes a directory of this name."""
        return self._index.policy.places.bases.generated(path, directory) is not None

    def literal_paths(self) -> "Walk":
        """Look at the paths that patterns name by themselves."""
        for path, one in self._index.literal_paths():
            own = path.startswith(OWN) and not _is_device(path, one)
            if own or self._out.has(path) or not os.path.lexists(path):
                continue
            real = os.path.realpath(path)
            if self._reach.is_below_root(real) or not _shows_nothing(path, one):
                places = (one.place,) if one.place else ()
                self._add(path, NameMatch(places, (one.rule,) if one.rule else ()))
                for link in links_on(path) if real != path else ():
                    self._reach.take(link)
        return self

    def protected_links(self) -> "Walk":
        """Look at where the links lead that lie in directories which are protected as a whole."""
        found = [one for one in self.found.values() if one.kind == "directory" and one.places]
        # What the system starts is its packages' and root's: many links, and none to a project.
        tops = [one.path for one in found if "policy" in one.places or one.path[:5] != "/etc/"]
        # Sessions that a program writes beside its settings, all the time.
        sessions = {p for p in tops if "credentials" in self.found[p].places and _lies(p, tops)}
        for link, name in self._reach.links_into_roots(tops, sessions):
            match = self._index.through_links(name)
            if match is not None:
                self._add(link, match)
        return self

    def linked_paths(self) -> "Walk":
        """Look again at what turned out to have a protected name through a link."""
        for real in self._reach.waiting():
            match = self._index.match(real, os.path.basename(real))
            if match is not None:
                self._add(real, match)
            for here in [path for path in self.directories if below(path, real)]:
                for _ in self._looked(in_order(here)):
                    pass
        for name in self._reach.names():
            self.note(name)
        return self

    def unvisited_names(self) -> "Walk":
        """Look at the names alone of what the walk did not come to, which is only read: keys in it
        are not there, nor are other names of them.
        """
        waiting, left = [*self._beyond], MAX_NAMES
        kept = self._kept() | self._hidden_in_directories() if waiting else {}
        inodes = {inode for _, inode in kept}
        while waiting:
            here = waiting.pop()
            listed = self._short(here, entries_of(here)) if left > 0 else None
            if listed is None:
                self.unseen.append(here)
                continue
            left -= len(listed)
            for entry in listed:
                if entry.inode() in inodes and (inode := linked_inode(entry.path)) in kept:
                    self._hold_link(entry.path, kept[inode])
            waiting += self._looked(listed, links=False)
        return self

    def _kept(self) -> "dict[tuple[int, int], Found]":
        """What is protected and has several names, by device and inode."""
        return {
            inode: found for found in self.found.values() if (inode := linked_inode(found.path))
        }

    def _hold_link(self, path: str, known: Found) -> None:
        self.found.setdefault(path, Found(path, "file", known.places or ("hard link",)))

    def held_links(self) -> "Walk":
        """Hold the files that have another name outside, or one that is protected.

        The files that are protected are known by now.
        """
        every = [(path, one) for path, found in self.linked.items() for one in found]
        if not every:
            return self
        kept = self._kept()
        out = dict(leading_out(every))
        if out:
            kept |= self._hidden_in_directories()
        names = {f"{path}/{one.name}": (one.device, one.inode) for path, one in every}
        for path, inode in names.items():
            if inode in kept:
                self._hold_link(path, kept[inode])
        for path in oldest(path for path in out if names[path] not in kept):
            self.found.setdefault(path, Found(path, "file", ("hard link",)))
        return self

    def _hidden_in_directories(self) -> "dict[tuple[int, int], Found]":
        """What lies in directories that are hidden as a whole, by device and inode."""
        hidden = {}
        for found in self.found.values():
            if found.kind != "directory" or "credentials" not in found.places:
                continue
            left = MAX_HOME
            for directory, _, names in os.walk(found.path):
                left -= len(names)
                for name in names if left > 0 else ():
                    inode = linked_inode(f"{directory}/{name}")
                    if inode is not None:
                        hidden[inode] = found
        return hidden

    def entry(self, path: str, match: NameMatch) -> None:
        """Take up one path that is known to be there."""
        self._add(path, match)

    def _directory(self, top: str) -> None:
        waiting = [top]
        closed = frozenset(self.closed)
        while waiting:
            here = waiting.pop()
            if here in closed:
                continue
            listed = self._listed(here)
            if listed is None:
                continue
            self._left -= len(listed)
            self.directories.append(here)
            if self._openings is None and not is_installed(here[len(top) :]):
                self.linked[here] = linked(sorted(listed, key=lambda entry: entry.name))
            self._git_parts(here, {entry.name for entry in listed}, here == top)
            waiting += self._looked(listed)

    def _git_parts(self, here: str, names: "set[str]", is_root: bool) -> None:
        """Note what may make a git directory of this one, and hold it where it is one.

        A root stays writable, but for what decides what git runs.
        """
        for name in names & _PARTS:
            self._note(f"{here}/{name}", part=True)
        if not is_laid_out(names):
            return
        if not is_root:
            self._put(here, _REPOSITORY, stat.S_IFDIR)
            return
        for path in control_paths(here):
            self._note(path, part=True)
            self._find(path, _REPOSITORY)

    def _listed(self, here: str) -> "list[os.DirEntry[str]] | None":
        """What a directory holds; None for one that is not looked into."""
        if self._left <= 0 and self._openings is None:
            self.closed.append(here)
            self._beyond.append(here)
            return None
        try:
            with os.scandir(here) as entries:
                return self._short(here, list(entries))
        except PermissionError:
            return self._opened(here)
        except OSError as error:
            if error.errno == ENAMETOOLONG:  # nobody can name what is there
                self.noted[here] = ProtectedPath(here, 0, 0)
            return None

    def _short(
        self, here: str, listed: "list[os.DirEntry[str]] | None"
    ) -> "list[os.DirEntry[str]] | None":
        """The same, None where a mount could not protect all of it."""
        if listed is None:
            return None
        short = len(here) < _LONG or all(is_mountable(entry.path) for entry in listed)
        if short or self._openings is not None:
            return listed
        self.closed.append(here)
        self.long.append(here)
        return None

    def _opened(self, here: str) -> "list[os.DirEntry[str]] | None":
        """What a directory holds that cannot be read, if it may be opened."""
        if self._openings is None:
            self.closed.append(here)
            self.unseen.append(here)
        elif self._openings.open(here):
            return self._listed(here)
        return None

    def _looked(self, entries: "list[os.DirEntry[str]]", links: bool = True) -> "Iterator[str]":
        """The directories to go on with. Links count only where something may be made."""
        for entry in entries:
            match = self._index.match(entry.path, entry.name)
            if match is not None and not match.reached and self._is_made(entry, match):
                match = None
            if match is not None:
                self._add(entry.path, match)
                if not _goes_on(match):
                    continue
            if entry.is_symlink():
                if links and (match is None or not protects(match)):
                    self._link(entry.path, entry.name)
                elif not links and self._index.leads(entry.name):
                    self._reach.take(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                yield entry.path

    def _is_made(self, entry: "os.DirEntry[str]", match: NameMatch) -> bool:
        """Whether what is protected elsewhere is part of what a build or an installer made.

        Packages come with settings for editors and hooks, which are not run there. A repository
        is one wherever it lies, and keys are keys.
        """
        if entry.name == ".git" or any(p.place in SECRET for p in match.places):
            return False
        return self._made(entry.path)

    def _made(self, path: str) -> bool:
        """Whether a path lies where a build or an installer puts what git does not track."""
        made = self._index.generated(path)
        if made is None:
            return False
        if made not in self._tracked:
            self._tracked[made] = Disk().tracks(made)
        return not self._tracked[made]

    def _link(self, path: str, name: str) -> None:
        """A link that leads to what is protected counts as that: it is written through.

        So does one that stands where a directory with protected files would.
        """
        if self._index.leads(name):
            self.note(path)
            if not self._made(path):
                self._reach.take(path)
            return
        if self._index.affects_execution(os.path.realpath(path)):
            self.note(path)

    def _add(self, path: str, match: NameMatch) -> None:
        if protects(match):
            real = os.path.realpath(path)
            if (
                not self._index.unpacked(path)
                and self._reach.is_below_root(path)
                and (real == path or stands(path))
            ):
                self.note(path, match.repository)
            if real != path:
                self._reach.take(path)
        self._find(path, match)

    def _find(self, path: str, match: NameMatch) -> None:
        real = os.path.realpath(path)
        try:
            mode = os.stat(real).st_mode
        except OSError:
            return
        self._put(real, match, mode)

    def _put(self, real: str, match: NameMatch, mode: int) -> None:
        if kind(mode) == "socket" and not match.places:  # whoever it is of, see `own_sockets`
            rule = self._index.opens(real)
            if rule is not None:
                self.found[real] = Found(real, "socket", (), (rule,), (), str(rule.origin))
            return
        known = self.found.get(real)
        places = tuple(place.place for place in match.places) + ("control",) * match.repository
        rules = match.rules
        if known is not None:
            places = tuple(dict.fromkeys((*known.places, *places)))
            rules = tuple({id(rule): rule for rule in (*known.rules, *rules)}.values())
        named = tuple(p for p in places if any(self._names(rule, p) for rule in rules))
        said = next((str(origin) for origin in _origins(match)), "")
        self.found[real] = Found(real, kind(mode), places, rules, named, said)

    def _names(self, rule: object, place: str) -> bool:
        """Whether a rule that allows was written for this very class of paths."""
        from execpolicy.model.rule import PathRule

        if not isinstance(rule, PathRule) or tightens(rule):
            return False
        return any(self._index.reaches(path, place) for path in rule.paths)

    def note(self, path: str, repository: bool = False) -> None:
        """Keep how a path stands now, if it is there."""
        self._note(path, repository or path.endswith("/.git"))

    def _note(self, path: str, repository: bool = False, *, part: bool = False) -> None:
        if part and path in self.noted:
            return
        try:
            state = os.lstat(path)
            target = os.readlink(path) if stat.S_ISLNK(state.st_mode) else ""
        except OSError as error:
            if error.errno == ENAMETOOLONG:
                self.noted[path] = ProtectedPath(path, 0, 0, "", repository, part)
            return
        self.noted[path] = ProtectedPath(path, state.st_dev, state.st_ino, target, repository, part)


_REPOSITORY = NameMatch(affects_execution=True, repository=True)


def _lies(path: str, directories: "Iterable[str]") -> bool:
    return any(below(path, one) and path != one for one in directories)


def _goes_on(match: NameMatch) -> bool:
    """Whether what lies below is looked at too: a rule about a directory may have exceptions."""
    return not match.places


def _shows_nothing(path: str, one: "DeclaredPattern") -> bool:
    """Whether what is kept secret need not be hidden: an empty directory, or closed to this user,
    who has no more rights inside."""
    if one.place is None or one.place.place not in SECRET:
        return False
    if not os.path.isdir(path):
        return not os.access(path, os.R_OK)
    return is_empty(path) or not (os.access(path, os.R_OK) or os.access(path, os.X_OK))


def _is_device(path: str, one: "DeclaredPattern") -> bool:
    """Whether a rule of the user opens a device that a run would not have."""
    opens = one.rule is not None and not tightens(one.rule) and "write" in one.rule.modes
    return opens and path.startswith("/dev/")


def _origins(match: NameMatch) -> "list[Origin]":
    return [place.origin for place in match.places] + [rule.origin for rule in match.rules]
