"""Which project a directory belongs to, as git sees it, and the places of its rules.

A linked worktree is believed as git does (gitrepository-layout(5)): its `.git` file names a
directory in the `worktrees` of the common one, and the file `gitdir` there names this `.git` again.
"""

import os
import stat

from execpolicy.model.errors import Diagnostic
from execpolicy.store.sources.files import read_regular, unreadable
from execpolicy.support.disk import repository
from execpolicy.support.record import Value

MAX_LINK_BYTES = 4096


class Holder(Value):
    """A directory that may hold rules of a project.

    `sure` is False for the main worktree of a `.git` file that nothing in the repository confirms:
    what it forbids holds, what it allows does not.
    """

    path: str
    sure: bool = True


class Project(Value):
    """Where rules of a project may be, outermost first, and why one place is not known."""

    holders: tuple[Holder, ...] = ()
    problem: Diagnostic | None = None


def find(cwd: str | None) -> Project:
    """The directories from the repository's root down to `cwd`; `cwd` alone outside of one.

    In a linked worktree of git, the root of the main one comes first: what is not checked in
    there is not in the linked one either.
    """
    try:
        here = os.path.realpath(cwd or os.getcwd())
    except FileNotFoundError:  # the working directory was removed
        return Project()
    chain = _chain(here)
    holders = [Holder(path) for path in reversed(chain)]
    try:
        main = _main_worktree(chain[-1])
    except OSError as error:
        return Project((*holders,), unreadable(os.path.join(chain[-1], ".git"), "link", error))
    if main is not None and main.path not in chain:
        holders.insert(0, main)
    return Project((*holders,))


def root(directory: str) -> str:
    """The root of the project that a directory belongs to, given by its real path."""
    return _chain(directory)[-1]


def _chain(here: str) -> list[str]:
    """The directories from `here` up to the repository's root; `here` alone outside of one."""
    top, chain = repository.top(here) or here, [here]
    while chain[-1] != top:
        chain.append(os.path.dirname(chain[-1]))
    return chain


def is_there(path: str) -> bool:
    """Whether something has this name. What cannot be looked at may be there."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _main_worktree(top: str) -> Holder | None:
    """The main worktree where `top` is the root of a linked one. Raises `OSError`."""
    link = os.path.join(top, ".git")
    try:
        if not stat.S_ISREG(os.stat(link).st_mode):
            return None
        gitdir = _named(link, top, "gitdir: ")
        if gitdir is None:
            return None
        common = _named(os.path.join(gitdir, "commondir"), gitdir)
    except (FileNotFoundError, NotADirectoryError):  # a submodule, or its repository is elsewhere
        return None
    if common is None or os.path.basename(common) != ".git":
        return None
    return Holder(os.path.dirname(common), _is_confirmed(top, gitdir, common))


def _is_confirmed(top: str, gitdir: str, common: str) -> bool:
    """Whether the repository itself knows this worktree."""
    link = os.path.join(top, ".git")
    if os.path.dirname(gitdir) != os.path.join(common, "worktrees") or os.path.islink(link):
        return False
    try:
        back = read_regular(os.path.join(gitdir, "gitdir"), MAX_LINK_BYTES)
    except OSError:
        return False
    named = os.path.join(gitdir, os.fsdecode(back).rstrip("\r\n"))
    holder, name = os.path.split(named)
    return name == ".git" and os.path.realpath(holder) == top


def _named(file: str, base: str, head: str = "") -> str | None:
    """The real path that a file of git names, None where it names none. Raises `OSError`."""
    text = os.fsdecode(read_regular(file, MAX_LINK_BYTES)).rstrip("\r\n")
    path = text.removeprefix(head)
    if "\0" in path or not path or not text.startswith(head):
        return None
    return os.path.realpath(os.path.join(base, path))
