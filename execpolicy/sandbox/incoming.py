"""What git is going to put under protected names, and what it takes away: by the commits and the
work trees that its words name.

It is known before the run, so that the user can be asked, and is git's own work where nothing but
git runs. What it fetches first is known after it: what the index of the repository has then.
"""

import os
from _collections_abc import Iterable, Iterator

from execpolicy.engine.paths.changes.revisions import revisions
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.operation import Access
from execpolicy.places.disk import Disk
from execpolicy.places.repository import history
from execpolicy.policy.policy import Policy
from execpolicy.sandbox.scan.names import NameIndex, protects
from execpolicy.sandbox.walls import parents
from execpolicy.support.disk.repository import Repository, find
from execpolicy.support.path_match import below
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

MAX_WORDS = 64
"""Words of a command that may name a commit."""
_CLONING = words_of("git")["cloning"]


class Incoming(Value):
    """The files that git may write under protected names, and what has no wall for that.

    `puts` are the files, `new` those of them that the commit of the work tree has not so. `frees`
    are protected paths that git replaces or removes, with all below them. `pulls` are the git
    directories whose work trees get what is fetched first; `clones`: so do new ones.
    """

    puts: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    frees: tuple[str, ...] = ()
    pulls: tuple[str, ...] = ()
    clones: bool = False

    @property
    def fetches(self) -> bool:
        """Whether something comes that is not known yet."""
        return self.clones or bool(self.pulls)


def incoming(steps: "Iterable[ExpandedOperation]", cwd: str, policy: "Policy") -> Incoming:
    """What these commands of git do under protected names."""
    disk, found = Disk(), Incoming()
    home = os.path.realpath(os.path.expanduser("~"))
    for step in steps:
        reading = step.reading
        if reading is None:
            continue
        if not _CLONING.isdisjoint(reading.path[1:2]):
            found = found.replace(clones=True)
            continue
        here = reading.cwd if isinstance(reading.cwd, str) else "."
        here = os.path.realpath(os.path.join(cwd, here))
        own = find(here, disk)
        program = own and disk.git(own.top)
        if own is None or not program:
            continue
        asked = _Asked(own, program, here)
        try:
            one = asked.about(step)
        except _NoAnswerError:
            one = Incoming(pulls=(os.path.realpath(own.git),))
        index = NameIndex(policy, home, disk.root(None, cwd).path)  # type: ignore[union-attr]
        puts = {path: above for path in one.puts if (above := _protected(path, index, own.top))}
        new = tuple(path for path in one.new if path in puts)
        there = dict.fromkeys(path for above in puts.values() for path in above)
        frees = (*one.frees, *(path for path in there if os.path.lexists(path)))
        found = found.replace(
            puts=(*found.puts, *puts),
            new=(*found.new, *new),
            frees=(*found.frees, *frees),
            pulls=(*found.pulls, *one.pulls),
            clones=found.clones or (bool(one.pulls) and not os.path.isdir(here)),
        )
    return found


def _protected(path: str, index: NameIndex, top: str) -> "list[str]":
    """Which of a file and the directories above it are protected."""
    every = [path, *(above for above in parents(path) if below(above, top) and above != top)]
    found = []
    for one in every:
        match = index.match(one, os.path.basename(one))
        if match is not None and protects(match) and not index.unpacked(one):
            found.append(one)
    return found


class _NoAnswerError(Exception):
    """Git did not answer, or not in time."""


class _Asked(Value):
    """Asks git about the words of one command in a directory of a repository."""

    own: "Repository"
    program: str
    here: str

    def about(self, step: "ExpandedOperation") -> Incoming:
        reading = step.reading
        if reading is None:
            return Incoming()
        words = [word for word in reading.operands if isinstance(word, str)]
        verb = reading.path[1:]
        if verb == ("worktree", "remove"):
            return Incoming(frees=tuple(self._removed(words)))
        if verb[:2] == ("worktree", "add"):
            return self._added(words)
        subjects = [(cause.effect, cause.subject) for cause in reading.effects]
        restores = any(isinstance(s, Access) and s.extent == "restored" for _, s in subjects)
        if not restores:
            return Incoming()
        if any(effect == "network" for effect, _ in subjects):
            tracked = tuple(f"{self.own.top}/{name}" for name in self._git(("ls-files", "-z")))
            return Incoming(tracked, pulls=(os.path.realpath(self.own.git),))
        pairs = [("HEAD", name) for name in revisions(reading)]
        if verb == ("revert",):
            pairs = [(name, f"{name}^") for _, name in pairs]
        found = self._changed(pairs[:MAX_WORDS])
        return Incoming(found, found)

    def _added(self, words: "list[str]") -> Incoming:
        """What a new work tree has: all of a commit."""
        if not words:
            return Incoming()
        top = os.path.realpath(os.path.join(self.here, words[0]))
        (tree,) = self._trees([words[1] if len(words) > 1 else "HEAD"])
        if not tree:
            return Incoming()
        listed = self._git(("ls-tree", "-r", "-z", "--name-only", tree))
        changed = {os.path.relpath(p, self.own.top) for p in self._changed([("HEAD", tree)])}
        return Incoming(
            tuple(f"{top}/{name}" for name in listed),
            tuple(f"{top}/{name}" for name in listed if name in changed),
        )

    def _removed(self, words: "list[str]") -> "Iterator[str]":
        """A work tree, and what its repository keeps of it."""
        for word in words:
            tree = os.path.realpath(os.path.join(self.here, word))
            linked = find(tree, Disk())
            if linked is None or linked.top != tree or linked.common != self.own.common:
                continue
            git = os.path.realpath(linked.git)
            if os.path.dirname(git) == os.path.realpath(f"{self.own.common}/worktrees"):
                yield from (tree, git)

    def _changed(self, pairs: "list[tuple[str, str]]") -> tuple[str, ...]:
        """The files that differ between two of the commits."""
        trees = self._trees([name for pair in pairs for name in pair])
        lines = [f"{a} {b}\n" for a, b in zip(trees[::2], trees[1::2], strict=True) if a and b]
        words = ("diff-tree", "--stdin", "-r", "-z", "--name-only")
        found: dict[str, None] = {}
        for name in self._git(words, "".join(lines)) if lines else ():
            for line in lines:  # each stands before the names of its pair
                name = name.removeprefix(line)
            found[f"{self.own.top}/{name}"] = None
        return tuple(found)

    def _trees(self, names: "list[str]") -> "list[str]":
        found = history.trees(self.own, self.program, names)
        if found is None:
            raise _NoAnswerError
        return found

    def _git(self, words: tuple[str, ...], given: str = "") -> "list[str]":
        data = history.ask(self.own, self.program, words, given.encode())
        if data is None:
            raise _NoAnswerError
        return [os.fsdecode(name) for name in data.split(b"\0") if name]
