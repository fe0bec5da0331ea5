"""Which repository git finds from a directory, without running git (gitrepository-layout(5)).

`find` tells what git runs in and obeys; `top` which directory is a project: for the session's root,
for rules, amendments and trust.
"""

import os
import stat

from execpolicy.support.disk.bounded import read
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from typing import Protocol

    Known = dict[tuple[str, bool], "Repository | None"]
    """What `find` gives for a directory, by itself and whether bare ones count."""

    class Located(Protocol):
        """Where a path leads; None where that is not known."""

        @property
        def real(self) -> str | None:
            """The path without links."""

    class Files(Protocol):
        """The questions of a resolver that are asked here."""

        def locate(self, path: str, follow: bool = True) -> Located:
            """Where a path leads."""

        def kind(self, path: str) -> str:
            """What stands at a path."""

        def head(self, path: str) -> str:
            """The beginning of a text file."""


MAX_LEVELS = 256
MIN_DEPTH = 32
"""Slashes of a path from which on one way up is quicker than a path for each level."""
LAYOUT = ("HEAD", "objects", "refs")
"""What git takes a directory for a git directory by (`is_git_directory` of its setup.c)."""
MARKS = (".git", LAYOUT[0])
"""Without one of these a directory holds no repository."""
COMMON = "commondir"
"""The file that says where the objects and refs of a git directory are instead."""
MAX_LINK = 4096
"""Bytes that are read of a file that names a directory or a branch."""
_ID = 40
"""Digits of a commit's SHA-1; a SHA-256 begins with as many."""
_DIGITS = frozenset("0123456789abcdefABCDEF")
_UNREADABLE = "unreadable"


def marked(directory: str, names: "Iterable[str]") -> frozenset[str] | None:
    """Of a deep real directory and those above it, the ones with an entry of one of some names;
    None where that is not known, or the directory is not deep."""
    if directory.count("/") < MIN_DEPTH:
        return None
    from execpolicy.support.disk import ancestors

    return ancestors.marked(directory, names)


def is_laid_out(names: "Container[str]") -> bool:
    """Whether git may take a directory with these names for a git directory."""
    head, objects, refs = LAYOUT
    return head in names and (COMMON in names or (objects in names and refs in names))


class Repository(Value):
    """A repository: the directory that holds it, its git directory, and the one with its objects.

    All are real paths if the directory asked about is one.
    """

    top: str
    git: str
    common: str


def find(directory: str, files: "Files", bare: bool = True) -> Repository | None:
    """The repository that git uses in a directory, or None where it finds none.

    Git looks in each directory on the way up for `.git`, and takes the directory itself where it
    is laid out like a git directory. With `bare` False only a `.git` counts, and only one that git
    accepts as it is; else also one whose `HEAD` may be written yet. Some files know it themselves.
    """
    ask = getattr(files, "repository", None)
    return search(directory, files, bare, {}) if ask is None else ask(directory, bare)


def top(directory: str) -> str | None:
    """The directory where git's search for `.git` ends on the way up from a real path, or None.

    It ends at a git directory, at a file, whatever that says (`setup_git_directory_gently` of
    setup.c), and here also at what cannot be looked at.
    """
    here, told = directory, marked(directory, (".git",))
    while (told is not None and here not in told) or not is_top(here):
        if here == "/":
            return None
        here = os.path.dirname(here)
    return here


def is_top(directory: str) -> bool:
    """Whether a directory holds a `.git` that git takes for one."""
    kind = _Disk().kind(_in(directory, ".git"))
    if kind != "directory":
        return kind in ("file", _UNREADABLE)
    return _at(directory, _Disk(), exact=True) is not None


class _Disk:
    """The files of this machine."""

    def locate(self, path: str, follow: bool = True) -> "Located":
        """Where a path leads."""
        if follow:
            return _Located(os.path.realpath(path))
        above, name = os.path.split(path)
        return _Located(_in(os.path.realpath(above), name))

    def kind(self, path: str) -> str:
        """What stands at a path."""
        try:
            mode = os.stat(path).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return "missing"
        except OSError:
            return _UNREADABLE
        if stat.S_ISDIR(mode):
            return "directory"
        return "file" if stat.S_ISREG(mode) else "other"

    def head(self, path: str) -> str:
        """The beginning of a text file."""
        return os.fsdecode(read(path, MAX_LINK) or b"")


class _Located(Value):
    real: str | None


def search(
    directory: str,
    files: "Files",
    bare: bool,
    known: "Known",
    told: "Container[str] | None" = None,
) -> Repository | None:
    """The same, with what is known of some directories, which is more afterwards. `told` are those
    that have one of `MARKS`, where that is known."""
    if directory.count("/") >= MAX_LEVELS:
        known = {}  # where the search ends depends on where it begins
    passed: list[str] = []
    here, found = directory, None
    for _ in range(MAX_LEVELS):
        if (here, bare) in known:
            found = known[here, bare]
            break
        passed.append(here)
        if told is None or here in told:
            found = _at(here, files, exact=not bare)
            if found is None and bare:
                found = _repository(here, here, files)
        parent = os.path.dirname(here)
        if found or parent == here:
            break
        here = parent
    known.update({(each, bare): found for each in passed})
    return found


def _in(directory: str, name: str) -> str:
    """What `os.path.join` gives for a name."""
    return directory + name if directory[-1:] in ("", "/") else f"{directory}/{name}"


def same(one: Repository | None, own: Repository | None) -> bool:
    """Whether this is the user's own repository: itself, a linked worktree or a submodule of it.

    The configuration of these lies in the own git directory, which no clone brings along.
    """
    if one is None or own is None:
        return one is own
    if one.git == own.git:
        return True
    inside = one.git.startswith((own.common + "/worktrees/", own.common + "/modules/"))
    return inside or (one.git == own.common == one.common)


def _at(top: str, files: "Files", exact: bool) -> Repository | None:
    """What the `.git` of a directory stands for: a directory, or a file that names one."""
    path = _in(top, ".git")
    kind = files.kind(path)
    if kind == "file":
        target = files.head(path)
        if not target.startswith("gitdir: "):
            return None
        path = _named(top, target[len("gitdir: ") :], files)
    elif kind != "directory":
        return None
    found = _repository(top, path, files)
    return None if found and exact and not _is_accepted(found, files) else found


def _is_accepted(found: Repository, files: "Files") -> bool:
    """Whether git takes it for one as it is, and not for what may become one."""
    inside = (_in(found.common, name) for name in LAYOUT[1:])
    return _is_head(found.git, files) and all(files.kind(p) == "directory" for p in inside)


def _is_head(git: str, files: "Files") -> bool:
    """Whether git takes what is written in a `HEAD` for one (`validate_headref` of refs.c)."""
    path = _in(git, LAYOUT[0])
    leads, itself = files.locate(path).real, files.locate(path, False).real
    if leads is None or itself is None or leads != itself:
        return bool(leads and itself and leads.startswith(f"{os.path.dirname(itself)}/refs/"))
    text = files.head(path)
    if text.startswith("ref:"):
        return text[4:].lstrip().startswith("refs/")
    return len(text) >= _ID and _DIGITS.issuperset(text[:_ID])


def _repository(top: str, git: str, files: "Files") -> Repository | None:
    """The repository with this git directory, if it is laid out like one.

    `HEAD` is its own, and the rest lies in the directory that it has in common with others.
    """
    head, *others = LAYOUT
    if not _is_there(_in(git, head), files):
        return None
    shared = files.head(_in(git, COMMON))
    common = _named(git, shared, files) if shared else git
    if all(files.kind(_in(common, name)) != "missing" for name in others):
        return Repository(top, git, common)
    return None


def _is_there(path: str, files: "Files") -> bool:
    """Whether there is anything: `HEAD` may be a link to a branch that has no commit yet."""
    real = files.locate(path).real
    if files.kind(path) != "missing":
        return True
    return real != path and real != files.locate(path, False).real


def _named(directory: str, text: str, files: "Files") -> str:
    """The path that a file of git names, as git reads it: up to a NUL, and the kernel walks it."""
    written = os.path.join(directory, text.rstrip("\r\n").partition("\0")[0])
    lexical = os.path.normpath(written)
    real = files.locate(written).real
    return lexical if real is None or real == files.locate(lexical).real else real
