"""Whether a repository that a confined run made can do nothing but hold history."""

import os
import stat
from _collections_abc import Container

from execpolicy.places.repository.git_syntax import Setting, settings
from execpolicy.sandbox.scan import git
from execpolicy.store.sources.files import read_regular
from execpolicy.support.disk.repository import LAYOUT

_HARMLESS = """
    core.repositoryformatversion core.filemode core.bare core.logallrefupdates
    core.ignorecase core.precomposeunicode core.symlinks user.name user.email
    init.defaultbranch extensions.objectformat extensions.refstorage remote.url remote.fetch
    remote.tagopt branch.remote branch.merge branch.rebase
"""
HARMLESS = frozenset(_HARMLESS.split())
"""Settings of git that name no program and no other file (git-config(1)); of a section with a
name in quotes, without that name."""

_JUDGED = ("hooks", "config", "info")
"""What `git init` makes too: what is in it counts."""
CONTROL_NAMES = (
    *(name for name in git.CONTROL_NAMES if name not in _JUDGED),
    "info/attributes",
    "worktrees",
)
"""What a repository that holds history alone has none of."""
MAX_BYTES = 1 << 16


def is_plain(directory: str) -> bool:
    """Whether a git directory has no hook, and a configuration of harmless settings alone.

    What cannot be read may hold anything.
    """
    if os.path.islink(directory) or not os.path.isdir(directory):
        return False
    if not all(os.path.lexists(f"{directory}/{name}") for name in LAYOUT):
        return False
    if any(os.path.lexists(f"{directory}/{name}") for name in CONTROL_NAMES):
        return False
    return _has_no_hook(f"{directory}/hooks") and _is_harmless(f"{directory}/config")


def is_linked(path: str, known: "Container[str]") -> bool:
    """Whether a path is part of a work tree that git added to a repository whose configuration is
    `known`: one of the three files that name each other (git-worktree(1)), and as git wrote it."""
    name = os.path.basename(path)
    if name in _OF_LINKED:
        path = _line(os.path.join(os.path.dirname(path), "gitdir"))
    own = _line(path).removeprefix("gitdir: ")
    common, _, last = own.rpartition("/worktrees/")
    return (
        os.path.basename(path) == ".git"
        and bool(last)
        and "/" not in last
        and f"{common}/config" in known
        and _line(f"{own}/commondir") == "../.."
        and _line(f"{own}/gitdir") == path
    )


_OF_LINKED = ("gitdir", "commondir")


def _line(path: str) -> str:
    """The one line that a file holds; nothing for another file, or one with several names."""
    try:
        state = os.lstat(path)
        alone = stat.S_ISREG(state.st_mode) and state.st_nlink == 1
        text = read_regular(path, MAX_BYTES).decode() if alone else ""
    except (OSError, ValueError):
        return ""
    return text[:-1] if text.count("\n") == 1 and text.endswith("\n") else ""


def _has_no_hook(directory: str) -> bool:
    if os.path.islink(directory):
        return False
    try:
        return all(name.endswith(".sample") for name in os.listdir(directory))
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _is_harmless(path: str) -> bool:
    """Whether a configuration is one that git takes, and each setting of it harmless.

    A link may lead to another file later.
    """
    if os.path.islink(path):
        return False
    try:
        text = read_regular(path, MAX_BYTES + 1).decode("utf-8", "replace")
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
    found, is_whole = settings(text)
    return len(text) <= MAX_BYTES and is_whole and all(map(_names_nothing, found))


def _names_nothing(setting: Setting) -> bool:
    """Whether a setting names no program: an address may, before `::` (gitremote-helpers(7))."""
    return setting.word in HARMLESS and "::" not in (setting.value or "")
