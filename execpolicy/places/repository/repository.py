"""Which repository git finds from a directory, without running git (gitrepository-layout(5))."""

import os.path

from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    Known = dict[tuple[str, bool], "Repository | None"]
    """What `find` gives for a directory, by itself and whether bare ones count."""

    class Files(Protocol):
        """The questions of a resolver that are asked here."""

        def kind(self, path: str) -> str:
            """What stands at a path."""

        def head(self, path: str) -> str:
            """The beginning of a text file."""


MAX_LEVELS = 256
LAYOUT = ("HEAD", "objects", "refs")
"""What git takes a directory for a git directory by (`is_git_directory` of its setup.c)."""


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
        if found is None and bare and _is_git_directory(here, files):
            found = Repository(here, here, here)
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
        return Repository(top, path, path) if _is_git_directory(path, files) else None
    if kind != "file":
        return None
    target = files.head(path)
    if not target.startswith("gitdir: "):
        return None
    git = os.path.normpath(os.path.join(top, target[len("gitdir: ") :].strip("\r\n")))
    shared = files.head(os.path.join(git, "commondir")).strip("\r\n")
    common = os.path.normpath(os.path.join(git, shared)) if shared else git
    return Repository(top, git, common) if _is_git_directory(common, files) else None


def _is_git_directory(path: str, files: "Files") -> bool:
    """Whether git would take it for one."""
    head, objects, refs = LAYOUT
    return (
        files.kind(_in(path, head)) != "missing"
        and files.kind(_in(path, objects)) == "directory"
        and files.kind(_in(path, refs)) == "directory"
    )
