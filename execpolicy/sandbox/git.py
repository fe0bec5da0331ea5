"""What of a git directory steers git, and whether a request may write there.

Git runs hooks, what its configuration and attributes name, and what an interrupted rebase has yet
to do (gitrepository-layout(5)). These stay read-only whatever is decided.
"""

import os

from execpolicy.operation import Access, Assign, Exec
from execpolicy.sandbox.plan import GitDirectories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from execpolicy.places.repository import Repository
    from execpolicy.verdict import Judged

STEERS = (
    "hooks",
    "config",
    "config.worktree",
    "info",
    "objects/info/alternates",
    "commondir",
    "gitdir",
    "modules",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
)
_OF_WORKTREE = ("gitdir", "commondir", "config.worktree")


_SHELL_WORDS = """
    : [ [[ cd echo exit export false printf pushd popd pwd read return set shift test true
    type unset wait command local declare readonly alias
"""
_SHELL = frozenset(_SHELL_WORDS.split())


def directories(found: "Repository | None") -> GitDirectories | None:
    """The git directories of a repository, with what steers git in them."""
    if found is None:
        return None
    own, common = os.path.realpath(found.git), os.path.realpath(found.common)
    kept = [*_existing(common), *(_existing(own) if own != common else ())]
    return GitDirectories(own, common, tuple(dict.fromkeys(kept)))


def _existing(directory: str) -> "Iterator[str]":
    for path in steering_paths(directory):
        if os.path.lexists(path):
            yield path


def steering_paths(directory: str) -> "Iterator[str]":
    """The paths in a git directory that steer git, there or not."""
    for name in STEERS:
        yield f"{directory}/{name}"
    try:
        worktrees = os.listdir(f"{directory}/worktrees")
    except OSError:
        return
    for name in worktrees:
        yield from (f"{directory}/worktrees/{name}/{part}" for part in _OF_WORKTREE)


def hooks_path(common: str) -> str | None:
    """The directory that `core.hooksPath` of a repository names, as it is written."""
    try:
        with open(f"{common}/config", encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(1 << 20)
    except OSError:
        return None
    section, found = "", None
    for line in map(str.strip, text.splitlines()):
        if line[:1] == "[":
            section = line[1:].partition("]")[0].strip().lower()
        name, _, value = line.partition("=")
        if section == "core" and name.strip().lower() == "hookspath":
            found = value.strip().strip('"')
    return found


def may_write(judged: "Iterable[Judged]") -> bool:
    """Whether every command is a git write, reads, or belongs to the shell, and one writes."""
    writes = False
    for one in judged:
        operation = one.operation
        if isinstance(operation, Access | Assign):
            continue
        if not isinstance(operation, Exec):
            return False
        effects = {effect for match in one.matches for effect in match.effects}
        if _is_git(operation):
            if not effects <= {"read", "write", "network", "destroy"}:
                return False
            writes = writes or bool(effects - {"read"})
        elif operation.argv[0] not in _SHELL and not effects <= {"read"}:
            return False
    return writes


def wants_to_write(judged: "Iterable[Judged]") -> bool:
    """Whether some command is git and writes."""
    return any(
        isinstance(one.operation, Exec)
        and _is_git(one.operation)
        and any(effect != "read" for match in one.matches for effect in match.effects)
        for one in judged
    )


def _is_git(operation: Exec) -> bool:
    return operation.argv[0] == "git"
