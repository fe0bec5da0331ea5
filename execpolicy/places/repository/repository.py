"""Which repository git finds from a directory, without running git (gitrepository-layout(5))."""

import os.path

from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Protocol

    from execpolicy.model.place import Place

    Known = dict[tuple[str, bool], "Repository | None"]
    """What `find` gives for a directory, by itself and whether bare ones count."""

    class Files(Protocol):
        """The questions of a resolver that are asked here."""

        def locate(self, path: str, follow: bool = True) -> Place:
            """Where a path leads."""

        def kind(self, path: str) -> str:
            """What stands at a path."""

        def head(self, path: str) -> str:
            """The beginning of a text file."""


MAX_LEVELS = 256
LAYOUT = ("HEAD", "objects", "refs")
"""What git takes a directory for a git directory by (`is_git_directory` of its setup.c)."""
COMMON = "commondir"
"""The file that says where the objects and refs of a git directory are instead."""


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
    is laid out like a git directory: `bare` leaves that out. Some files know that themselves.
    """
    ask = getattr(files, "repository", None)
    return search(directory, files, bare, {}) if ask is None else ask(directory, bare)


def search(directory: str, files: "Files", bare: bool, known: "Known") -> Repository | None:
    """The same, with what is known of some directories, which is more afterwards."""
    if directory.count("/") >= MAX_LEVELS:
        known = {}  # where the search ends depends on where it begins
    passed: list[str] = []
    here, found = directory, None
    for _ in range(MAX_LEVELS):
        if (here, bare) in known:
            found = known[here, bare]
            break
        passed.append(here)
        found = _at(_in(here, ".git"), here, files)
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


def _at(path: str, top: str, files: "Files") -> Repository | None:
    """What a `.git` stands for: a directory, or a file that names one."""
    kind = files.kind(path)
    if kind == "directory":
        return _repository(top, path, files)
    if kind != "file":
        return None
    target = files.head(path)
    if not target.startswith("gitdir: "):
        return None
    return _repository(top, _named(top, target[len("gitdir: ") :], files), files)


def _repository(top: str, git: str, files: "Files") -> Repository | None:
    """The repository with this git directory, if git would take it for one.

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
    if files.kind(path) != "missing":
        return True
    return files.locate(path).real != files.locate(path, False).real


def _named(directory: str, text: str, files: "Files") -> str:
    """The path that a file of git names, as git reads it: up to a NUL, and the kernel walks it."""
    written = os.path.join(directory, text.rstrip("\r\n").partition("\0")[0])
    lexical = os.path.normpath(written)
    real = files.locate(written).real
    return lexical if real is None or real == files.locate(lexical).real else real
