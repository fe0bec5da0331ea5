"""Which files any commit of a repository has, asked of git itself (git-rev-list(1)).

A repository is hostile: git only lists what its objects hold. It reads no file of the work tree, so
that no filter, hook, monitor or driver has a part in it, gets nothing from another machine, and
starts no pager. What is listed is what refs, reflogs and the heads of work trees lead to: their
files are looked at to know whether it is the same as before.
"""

import os

from execpolicy.support.disk.bounded import read
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Protocol

    from execpolicy.support.disk.repository import Repository
    from execpolicy.support.path_match import NameKey

    class Kept(Protocol):
        """Where lists are kept from one process to the next."""

        def recall(self, place: str) -> object:
            """What was kept last for a git directory and keys, plain data; else None."""

        def keep(self, place: str, value: object) -> None:
            """Keep plain data for a git directory and keys."""


MAX_FILES = 4096
"""Files of refs and of their logs."""
MAX_READ = 1 << 24
"""Bytes of them all."""
MAX_SECONDS = 10.0
MAX_LISTED = 1 << 27
"""Bytes of what git lists: some two million objects."""
MAX_FOUND = 4096
MAX_REVISIONS = 8
"""Trees of which the files are listed for one command."""
_SIZES = (40, 64)
_HEX = frozenset(b"0123456789abcdef")


class Listed(Value):
    """The paths found, and the objects from which on; of which state of the refs."""

    paths: tuple[str, ...]
    tips: tuple[str, ...]
    state: str = ""


def committed(
    own: "Repository",
    keys: "tuple[NameKey, ...]",
    program: str,
    kept: "Kept | None",
    *,
    every: bool = False,
) -> tuple[str, ...] | None:
    """Each path that is like a key, relative to the top; None where that is not known.

    Of several paths of one content one is found, unless `every` is asked for: who shows that one
    shows the content, but who writes it writes another. `program` is git.
    """
    files = [*_ref_files(own)]
    if len(files) > MAX_FILES or os.path.lexists(os.path.join(own.common, "reftable")):
        return None
    state, place = _state(files), f"{own.common}\0{every}{keys!r}"
    before = _kept(kept, place)
    if before is not None and before.state == state:
        return before.paths
    lister = _Lister(own, program, keys, every)
    found = lister.listed(files, before)
    if found is None or len(found.paths) > MAX_FOUND:
        return None
    if kept is not None and _state([*_ref_files(own)]) == state:
        kept.keep(place, (found.paths, found.tips, state))
    return found.paths


def of_revisions(own: "Repository", words: tuple[str, ...], program: str) -> tuple[str, ...] | None:
    """Each path of the revisions among some words, relative to the top; None where that is not
    known, or of more than `MAX_REVISIONS`. A remote's branch is found as git-switch(1) does."""
    _state(_ref_files(own))  # what the answer depends on is looked at
    found = trees(own, program, words)
    if found is None:
        return None
    missing = [f"/{word}" for word, tree in zip(words, found, strict=True) if not tree]
    remote = [name for name in _remote_branches(own) if any(map(name.endswith, missing))]
    every = {*found, *(trees(own, program, remote) or ())} - {""}
    if len(every) > MAX_REVISIONS:
        return None
    lists = [ask(own, program, ("ls-tree", "-rz", "--name-only", tree), b"") for tree in every]
    if None in lists:
        return None
    return tuple(os.fsdecode(path) for data in lists for path in (data or b"").split(b"\0") if path)


def trees(own: "Repository", program: str, names: "Sequence[str]") -> list[str] | None:
    """The tree of each commit; empty for what names none, None where git does not answer."""
    if not names:
        return []
    if any(name.startswith(":/") or ("\n" in name and "{/" in name) for name in names):
        return None  # a search in messages, of which no tree can be asked in one line
    fit = [name if name and not set(name) & set("\n\0") else "-" for name in names]
    asked = "".join(f"{name}^{{tree}}\n" for name in fit).encode("utf-8", "surrogateescape")
    words = ("cat-file", "--batch-check=%(objectname) %(objecttype)")
    data = ask(own, program, words, asked) or b""
    rows = [line.split() for line in data.decode("ascii", "replace").splitlines()]
    if len(rows) == len(names):
        return [row[0] if row[1:] == ["tree"] else "" for row in rows]
    if len(names) > 1:  # of a branch without another that it follows git says nothing at all
        each = [trees(own, program, [name]) for name in names]
        return None if None in each else [tree for found in each for tree in found or ()]
    return None if names[0] == "HEAD" or trees(own, program, ["HEAD"]) is None else [""]


def _kept(kept: "Kept | None", place: str) -> Listed | None:
    value = None if kept is None else kept.recall(place)
    return Listed(*value) if isinstance(value, tuple) and len(value) == 3 else None


# --- refs -----------------------------------------------------------------------------------------


def _ref_files(own: "Repository") -> "Iterator[str]":
    """The files that name commits, of all work trees (gitrepository-layout(5))."""
    trees = os.path.join(own.common, "worktrees")
    yield os.path.join(own.common, "packed-refs")
    for git in dict.fromkeys((own.common, own.git, *_entries(trees, directories=True))):
        for name in _entries(git):
            if name.endswith(("HEAD", "/shallow")):
                yield name
        for directory in ("refs", "logs"):
            yield from _below(os.path.join(git, directory))


def _below(directory: str) -> "Iterator[str]":
    waiting = [directory]
    while waiting:
        here = waiting.pop()
        yield from _entries(here)
        waiting += _entries(here, directories=True)


def _entries(directory: str, *, directories: bool = False) -> "list[str]":
    """The files of a directory, or the directories in it."""
    try:
        with os.scandir(directory) as entries:
            return sorted(e.path for e in entries if e.is_dir() is directories)
    except OSError:
        return []


def _remote_branches(own: "Repository") -> list[str]:
    """The names of the branches that remotes had when they were asked last."""
    packed = (read(os.path.join(own.common, "packed-refs"), MAX_READ) or b"").splitlines()
    names = [os.fsdecode(line.partition(b" ")[2]) for line in packed]
    names += [os.path.relpath(ref, own.common) for ref in _below(f"{own.common}/refs/remotes")]
    return [name for name in names if name.startswith("refs/remotes/")]


def _state(files: "Iterable[str]") -> str:
    """What changes with each of the files: git puts a new one in the place of a ref."""
    from execpolicy.support import digest

    rows = []
    for path in files:
        try:
            found = os.stat(path)
        except OSError:
            rows.append(path)
            continue
        rows.append(
            f"{path} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
        )
    return digest.of("\n".join(rows).encode("utf-8", "surrogateescape"))


def _named(files: "Iterable[str]") -> set[str] | None:
    """The objects that the files name; None where they are too large to be read."""
    found: set[str] = set()
    size = 0
    for path in files:
        data = read(path, MAX_READ) or b""
        size += len(data)
        if size >= MAX_READ:
            return None
        words = data.replace(b"^", b" ").split()
        found.update(w.decode() for w in words if len(w) in _SIZES and _HEX.issuperset(w))
    return {each for each in found if each.strip("0")}


# --- git ------------------------------------------------------------------------------------------


class _Lister(Value):
    """Asks git what the objects of a repository lead to."""

    own: "Repository"
    program: str
    keys: "tuple[NameKey, ...]"
    every: bool = False

    def listed(self, files: "list[str]", before: Listed | None) -> Listed | None:
        """The paths below all that the files name, where some are known before."""
        named = _named(files)
        known = set(before.tips if before is not None else ())
        tips = None if named is None else self._tips(named | known)
        if tips is None:
            return None
        if not known <= tips:  # git has forgotten some
            before, known = None, set()
        paths = self._below(tips - known, known)
        if paths is None:
            return None
        paths.update(before.paths if before is not None else ())
        return Listed(tuple(sorted(paths)), tuple(sorted(tips)))

    def _tips(self, names: "Iterable[str]") -> set[str] | None:
        """The commits and trees that names of objects stand for, of those that are there; None
        where one is a file, whose path nothing tells, or a tree that no commit has to be in."""
        asked = "".join(f"{name}^{{}}\n" for name in sorted(names)).encode()
        data = self.git(("cat-file", "--batch-check=%(objectname) %(objecttype)"), asked)
        if data is None:
            return None
        rows = [line.split() for line in data.decode("ascii", "replace").splitlines()]
        alone = ["blob", "tree"] if self.every else ["blob"]
        if any(row[1:] == [kind] for row in rows for kind in alone):
            return None
        return {row[0] for row in rows if row[1:] in (["commit"], ["tree"])}

    def _below(self, tips: "set[str]", known: "set[str]") -> set[str] | None:
        """The paths below some commits and not below others."""
        if not tips:
            return set()
        asked = "".join([*(f"{tip}\n" for tip in tips), *(f"^{one}\n" for one in known)])
        names = self._changed(asked) if self.every else self._objects(asked)
        if names is None:
            return None
        from execpolicy.policy.name_search import NameSearch, PathNames

        paths = PathNames([os.fsdecode(name) for name in names if name])
        return {*NameSearch(self.keys).among(paths)}

    def _objects(self, asked: str) -> set[bytes] | None:
        """A path of each object that is there (git-rev-list(1))."""
        data = self.git(("rev-list", "--objects", "--stdin"), asked.encode())
        return None if data is None else {line.partition(b" ")[2] for line in data.splitlines()}

    def _changed(self, asked: str) -> set[bytes] | None:
        """Each path that some commit made or changed (git-diff-tree(1))."""
        commits = self.git(("rev-list", "--stdin"), asked.encode())
        words = ("diff-tree", "--stdin", "-r", "-m", "--root", "--no-commit-id", "--name-only")
        data = None if commits is None else self.git((*words, "-z"), commits)
        return None if data is None else {*data.split(b"\0")}

    def git(self, words: tuple[str, ...], given: bytes) -> bytes | None:
        """What git prints; None where it fails, or takes too long, or prints too much."""
        return ask(self.own, self.program, words, given)


def ask(own: "Repository", program: str, words: tuple[str, ...], given: bytes) -> bytes | None:
    """What git prints; None where it fails, or takes too long, or prints too much."""
    import subprocess
    import tempfile

    argv = (program, "--no-pager", f"--git-dir={own.git}", *_QUIET, *words)
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout:
        stdin.write(given)
        stdin.seek(0)
        try:
            done = subprocess.run(
                argv,
                stdin=stdin,
                stdout=stdout,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=_ENVIRONMENT,
                timeout=MAX_SECONDS,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        size = os.fstat(stdout.fileno()).st_size
        if done.returncode or size > MAX_LISTED:
            return None
        stdout.seek(0)
        return stdout.read()


_QUIET = (
    *("--no-optional-locks", "--no-replace-objects", "-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null", "-c", "core.alternateRefsCommand=false"),
    *("-c", "log.showSignature=false", "-c", "core.commitGraph=false"),
)
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "PATH": os.defpath,
}
"""Neither settings of the user nor of the agent, and no protocol by which git would fetch."""
