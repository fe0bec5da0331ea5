"""Which entries of directories rules and places name, and to which of them a survey goes on."""

import os
import stat
from _collections_abc import Iterable, Iterator
from errno import ENAMETOOLONG

from execpolicy.places.disk import Disk
from execpolicy.sandbox.scan.git import control_paths
from execpolicy.sandbox.scan.indirect.reach import Reach, stands
from execpolicy.sandbox.scan.names import PARTS, SECRET, NameIndex, NameMatch, protects
from execpolicy.sandbox.scan.protected_path import ProtectedPath
from execpolicy.sandbox.scan.survey.holdings import Holdings
from execpolicy.support.disk.repository import is_laid_out


class Notes:
    """How paths with protected names stand now, links too, for a comparison with a later survey."""

    def __init__(self) -> None:
        self.by_path: dict[str, ProtectedPath] = {}

    def note(self, path: str, repository: bool = False) -> None:
        """Keep how a path stands now, if it is there."""
        self._keep(path, repository=repository or path.endswith("/.git"))

    def note_part(self, path: str) -> None:
        """The same for what may make a git directory of the one that it lies in."""
        if path not in self.by_path:
            self._keep(path, part=True)

    def note_unnameable(self, path: str) -> None:
        """Keep a path that is too long to be looked at."""
        self.by_path[path] = ProtectedPath(path, 0, 0)

    def _keep(self, path: str, *, repository: bool = False, part: bool = False) -> None:
        try:
            state = os.lstat(path)
            target = os.readlink(path) if stat.S_ISLNK(state.st_mode) else ""
            device, inode = state.st_dev, state.st_ino
        except OSError as error:
            if error.errno != ENAMETOOLONG:
                return
            device, inode, target = 0, 0, ""
        self.by_path[path] = ProtectedPath(path, device, inode, target, repository, part)


REPOSITORY = NameMatch(affects_execution=True, repository=True)


class Matching:
    """Takes up what an index of names knows: into `holdings`, `notes`, and links into `reach`."""

    def __init__(self, index: NameIndex) -> None:
        self.index = index
        self.holdings, self.notes, self.reach = Holdings(index), Notes(), Reach(index.aliases)
        self._tracked: dict[str, bool] = {}

    def onward(
        self, entries: "Iterable[os.DirEntry[str]]", *, links: bool = True
    ) -> "Iterator[str]":
        """The directories to go on with. Links count only where something may be made."""
        for entry in entries:
            match = self.index.match(entry.path, entry.name)
            if match is not None and not match.reached and self._is_made(entry, match):
                match = None
            if match is not None:
                self.add(entry.path, match)
                if match.places:  # a rule about a directory may have exceptions below
                    continue
            if entry.is_symlink():
                if links and (match is None or not protects(match)):
                    self._link(entry.path, entry.name)
                elif not links and self.index.leads(entry.name):
                    self.reach.take(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                yield entry.path

    def names_in(self, entries: "Iterable[os.DirEntry[str]]") -> "list[str]":
        """The same where nothing can be made: the directories, once all names are taken up."""
        return [*self.onward(entries, links=False)]

    def add(self, path: str, match: NameMatch) -> None:
        """Take up a path that is known to be there."""
        if protects(match):
            real = os.path.realpath(path)
            inside = not self.index.unpacked(path) and self.reach.is_below_root(path)
            if inside and (real == path or stands(path)):
                self.notes.note(path, match.repository)
            if real != path:
                self.reach.take(path)
        self.holdings.find(path, match)

    def git_parts(self, here: str, names: "set[str]", *, is_root: bool) -> None:
        """Note what may make a git directory of this one, and hold it where it is one.

        A root stays writable, but for what decides what git runs.
        """
        for name in names & PARTS:
            self.notes.note_part(f"{here}/{name}")
        if not is_laid_out(names):
            return
        if not is_root:
            self.holdings.put(here, REPOSITORY, stat.S_IFDIR)
            return
        for path in control_paths(here):
            self.notes.note_part(path)
            self.holdings.find(path, REPOSITORY)

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
        made = self.index.generated(path)
        if made is None:
            return False
        if made not in self._tracked:
            self._tracked[made] = Disk().tracks(made)
        return not self._tracked[made]

    def _link(self, path: str, name: str) -> None:
        """A link that leads to what is protected counts as that: it is written through.

        So does one that stands where a directory with protected files would.
        """
        if self.index.leads(name):
            self.notes.note(path)
            if not self._made(path):
                self.reach.take(path)
        elif self.index.affects_execution(os.path.realpath(path)):
            self.notes.note(path)
