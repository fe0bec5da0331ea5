"""What of a git directory decides what git runs, and whether a request may write there.

Git runs hooks, what its configuration and attributes name, and what an interrupted rebase has yet
to do (gitrepository-layout(5)). These stay read-only whatever is decided.
"""

import os
from _collections_abc import Iterable, Iterator, Mapping

from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.operation import Access, Assign, Assignment, Exec
from execpolicy.model.verdict import JudgedOperation
from execpolicy.places.repository import unfinished
from execpolicy.sandbox.incoming import Incoming
from execpolicy.sandbox.plan import GitDirectories
from execpolicy.store.snapshot import EnvironmentTable
from execpolicy.support.disk.repository import Repository
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

CONTROL_NAMES = (
    "hooks",
    "config",
    "config.worktree",
    "info",
    "objects/info/alternates",
    "commondir",
    "gitdir",
    "modules",
    *unfinished.NAMES,
)
_OF_WORKTREE = ("gitdir", "commondir", "config.worktree", *unfinished.NAMES)


_TRACKING = words_of("git")["tracking"]
_BUILTINS = words_of("commands")["builtins"]


def directories(found: "Repository | None") -> GitDirectories | None:
    """The git directories of a repository, with the control files in them: not what git itself
    goes on with, if that starts nothing."""
    if found is None:
        return None
    own, common = os.path.realpath(found.git), os.path.realpath(found.common)
    kept = [*_existing(common), *(_existing(own) if own != common else ())]
    return GitDirectories(own, common, tuple(dict.fromkeys(kept)))


def _existing(directory: str) -> "Iterator[str]":
    for path in control_paths(directory):
        if not os.path.lexists(path):
            continue
        if not (unfinished.is_state(path) and unfinished.starts_nothing(path)):
            yield path


def control_paths(directory: str) -> "Iterator[str]":
    """The control files of a git directory, there or not."""
    for name in CONTROL_NAMES:
        yield f"{directory}/{name}"
    try:
        worktrees = os.listdir(f"{directory}/worktrees")
    except OSError:
        return
    for name in worktrees:
        yield from (f"{directory}/worktrees/{name}/{part}" for part in _OF_WORKTREE)


TWO_CALLS = (
    "git writes to its directory only where nothing else runs beside it: make two calls of it, "
    "one for git and one for the rest"
)
HOOKS = (
    "git would run a hook or a filter of the repository beside writing to its directory: let the "
    "user run it, or leave the hook out where git has an option for that (`--no-verify`)"
)
ITSELF = "git would run other programs beside writing to its directory: let the user run it"
LOCAL = (
    "git would run the hooks of another repository of this machine beside writing to its "
    "directory: let the user push there"
)
MAY = frozenset(("read", "write", "network", "remote", "destroy"))
_OF_COMMITS = """
    GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
    GIT_COMMITTER_DATE GIT_MERGE_AUTOEDIT GIT_REFLOG_ACTION GIT_LITERAL_PATHSPECS
"""
_DATA = frozenset(_OF_COMMITS.split())
"""Variables of git that say what a commit holds, and start nothing (git(1))."""


class GitUse(Value):
    """What a request does with git: whether it writes to the git directory, why it must not, and
    what it does under protected names. `tracks`: git may write down what its branches follow."""

    writes: bool = False
    refusal: str = ""
    incoming: Incoming = Incoming()
    tracks: bool = False

    @property
    def opens(self) -> bool:
        """Whether the git directory is opened for writing."""
        return self.writes and not self.refusal

    def hooks_off(self) -> "GitUse":
        """The same where git runs no hooks."""
        return self.replace(refusal="") if self.refusal == HOOKS else self


class Variable:
    """What is known of variables, and those that the run `has` anyway."""

    def __init__(self, known: "EnvironmentTable", has: "Mapping[str, str]") -> None:
        self._known, self._has = known, has

    def is_harmless(self, given: "Assignment") -> bool:
        """Whether git and others start no other program with a variable set so."""
        name, value = given.name, given.value
        if not self._known.affects_execution(name) or name in _DATA:
            return True
        return self._has.get(name) == value or self._known.has_harmless_value(name, value)


def git_use(
    steps: "Iterable[ExpandedOperation]", judged: "Iterable[JudgedOperation]", variable: Variable
) -> GitUse:
    """What the steps of a request do, by what the catalogue knows of each command.

    One command beside git that does more than read, and belongs to no shell, keeps it closed. So
    does a variable by which git or another command may run a program. One that is only `possible`
    is run by another, of which the effects say so.
    """
    known = tuple(step for step in steps if not step.possible)
    writes = any(is_git(one.operation) and _effects(one) - {"read"} for one in known)
    if not writes:
        return GitUse()
    more = [one for one in known if not (_is_at_home(one) and _starts_nothing(one, variable))]
    if more:
        alone = all(is_git(one.operation) for one in more)
        return GitUse(writes=True, refusal=ITSELF if alone else TWO_CALLS)
    runs = (m for one in judged if is_git(one.operation) for m in one.matches)
    refusal = HOOKS if any("execute" in match.effects for match in runs) else ""
    tracks = any(is_git(one.operation) and _tracks(one) for one in known)
    return GitUse(writes=True, tracks=tracks, refusal=refusal)


def _tracks(step: "ExpandedOperation") -> bool:
    return step.reading is not None and not _TRACKING.isdisjoint(step.reading.path[1:2])


def _is_at_home(step: "ExpandedOperation") -> bool:
    """Whether a step may run while the git directory is open."""
    operation = step.operation
    if isinstance(operation, Access | Assign):
        return True
    if not isinstance(operation, Exec) or step.reading is None:
        return False
    if is_git(operation):
        return _effects(step) <= MAY
    return operation.argv[0] in _BUILTINS or _effects(step) <= {"read"}


def _starts_nothing(step: "ExpandedOperation", variable: Variable) -> bool:
    """Whether no variable that a step sets can make a command run something."""
    operation = step.operation
    if isinstance(operation, Assign):
        return variable.is_harmless(operation.assignment)
    if not isinstance(operation, Exec):
        return True
    given = (one for one in operation.env if (one.name, operation.argv[0]) != ("IFS", "read"))
    return all(map(variable.is_harmless, given))


def _effects(step: "ExpandedOperation") -> frozenset[str]:
    """What a command does; whether git finds hooks here, the verdict tells."""
    if step.reading is None:
        return frozenset(("unknown",))
    return frozenset(cause.effect for cause in step.reading.effects if not cause.hooks)


def is_git(operation: object) -> bool:
    """Whether this is a command of git itself."""
    return isinstance(operation, Exec) and operation.argv[0] == "git"
