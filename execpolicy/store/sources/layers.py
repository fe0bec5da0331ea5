"""Where rules come from: layered directories of `*.rules`, lowest first.

builtin, system (`/etc/execpolicy/rules`), user (`$XDG_CONFIG_HOME/execpolicy/rules`), project
(`.execpolicy/rules` of every directory from the repository's root down to the working directory),
and files named on the command line.

A directory that does not exist holds no rules. One that exists and cannot be read may forbid
anything: it stands among the files, with its problem, and so raises the floor.
"""

import os
from _collections_abc import Iterator, Sequence

from execpolicy.model.errors import Diagnostic, Span, printable
from execpolicy.store.sources import projects
from execpolicy.store.sources.files import (
    MAX_RULES_BYTES,
    RulesFile,
    is_mine,
    read_rules,
    unreadable,
)
from execpolicy.support import directories
from execpolicy.support.disk.repository import marked
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.store.sources.trust import Record

SYSTEM = "/etc/execpolicy/rules"
PROJECT = os.path.join(".execpolicy", "rules")
_NAMES = (".execpolicy", ".codex")

ATTEMPTS = 5
"""How often a directory is read again that changes meanwhile."""


class Directory(Value):
    """A directory of a layer. It need not exist. `sure`: trust in its files counts."""

    layer: str
    path: str
    sure: bool = True


class Skipped(Value):
    """Something in a layer's directory that is not read, and why."""

    path: str
    why: str


class Found(Value):
    """The files of all layers, in order, what was skipped, and the directories looked at.

    `problems` are those of the record of trust, which no file has.
    """

    files: tuple[RulesFile, ...]
    skipped: tuple[Skipped, ...]
    directories: tuple[Directory, ...]
    problems: tuple[Diagnostic, ...] = ()


def find(cwd: str | None, codex: bool = False) -> Found:
    """Every layer's files but the builtin ones, for a command that runs in `cwd`."""
    project = projects.find(cwd)
    directories = tuple(_directories(project, codex))
    bare = _without_rules(project)
    known: Record | None = None
    files: list[RulesFile] = []
    skipped: list[Skipped] = []
    if problem := project.problem:
        files.append(RulesFile("project", problem.span.file, b"", problem))
    for directory in directories:
        holder = os.path.dirname(os.path.dirname(directory.path))
        is_bare = directory.layer == "project" and holder in bare
        inside = [] if is_bare else _contents(directory, skipped)
        if inside and directory.layer == "project":
            from execpolicy.store.sources.trust import read

            known = known or read()
        files.extend(_bound(file, directory, known) for file in inside)
    problems = (known.problem,) if known and known.problem else ()
    return Found(tuple(files), tuple(skipped), directories, problems)


def _without_rules(project: projects.Project) -> frozenset[str]:
    """The directories of a deep project that have nothing called as what holds rules is."""
    paths = [holder.path for holder in project.holders]
    told = marked(paths[-1], _NAMES) if paths else None
    if told is None:
        return frozenset()
    return frozenset(path for path in paths if below(paths[-1], path) and path not in told)


def _directories(project: projects.Project, codex: bool) -> "Iterator[Directory]":
    yield Directory("system", SYSTEM)
    if codex:
        yield Directory("system", "/etc/codex/rules")
    yield Directory("user", os.path.join(directories.config(), "rules"))
    if codex:
        home = os.environ.get("CODEX_HOME") or os.path.join(os.path.expanduser("~"), ".codex")
        yield Directory("user", os.path.join(home, "rules"))
    for holder in project.holders:
        yield Directory("project", os.path.join(holder.path, PROJECT), holder.sure)
        if codex:
            yield Directory("project", os.path.join(holder.path, ".codex", "rules"), holder.sure)


def project_roots(cwd: str | None) -> list[str]:
    """The directories that may hold a project's rules, outermost first."""
    return [holder.path for holder in projects.find(cwd).holders]


def _contents(directory: Directory, skipped: list[Skipped]) -> list[RulesFile]:
    """The files of a directory, sorted by name, or the directory itself as one with a problem.

    It is read again where it changed meanwhile: what was moved in it could be missed.
    """
    found: list[RulesFile] = []
    for _ in range(ATTEMPTS):
        try:
            before = _listed(directory.path)
            if before is None:
                return []
            left: list[Skipped] = []
            found = list(_files(directory, before[1], left))
            if _listed(directory.path) == before:
                skipped.extend(left)
                return found
        except OSError as error:
            return [_unread(directory, unreadable(directory.path, "directory", error))]
    message = "cannot read the directory: it changes all the time"
    hint = "run it again when nothing changes there"
    return [*found, _unread(directory, Diagnostic("read", message, Span(directory.path), hint))]


def _unread(directory: Directory, problem: Diagnostic) -> RulesFile:
    return RulesFile(directory.layer, directory.path, b"", problem)


def _listed(path: str) -> tuple[tuple[int, int], list[str]] | None:
    """The state and the sorted names of a directory, None where there is none.

    Raises `OSError` where there is something that cannot be read.
    """
    try:
        status = os.stat(path)
        return (status.st_ino, status.st_mtime_ns), sorted(os.listdir(path))
    except (FileNotFoundError, NotADirectoryError):
        _must_be_absent(path)
        return None


def _must_be_absent(path: str) -> None:
    """Raise `OSError` where the way to a directory of rules ends at what only looks like nothing.

    That is a link that leads nowhere, and something else in the place of the directory or of the
    one around it, which has our name. A file in place of a directory further up is not a policy.
    """
    place = path
    while not projects.is_there(place) and place != "/":
        place = os.path.dirname(place)
    if os.path.isdir(place):
        return
    if not os.path.exists(place):
        raise OSError(f"the link `{printable(place)}` leads nowhere")
    if place in (path, os.path.dirname(path)):
        raise OSError(f"`{printable(place)}` is not a directory")


def _files(
    directory: Directory, names: Sequence[str], skipped: list[Skipped]
) -> Iterator[RulesFile]:
    for name in names:
        path = os.path.join(directory.path, name)
        why = _why_skipped(name)
        if why is None:
            yield read_rules(directory.layer, path, MAX_RULES_BYTES)
        elif why:
            skipped.append(Skipped(path, why))


def _why_skipped(name: str) -> str | None:
    """Why a name in a layer's directory is not read; None if it is, empty without a reason."""
    if not name.endswith(".rules"):
        return "its name does not end in `.rules`" if ".rules" in name.lower() else ""
    if name == ".rules":
        return "it has no name"
    return "it is hidden" if name.startswith(".") else None


def _bound(file: RulesFile, directory: Directory, known: "Record | None") -> RulesFile:
    """A file with what it may do: loosen only if the user or the machine's owner said so."""
    if file.problem:
        return file
    if directory.layer != "project" or known is None:
        return file.replace(trusted=_owned(file))
    from execpolicy.store.sources import trust

    trusted = directory.sure and trust.trusted(file.path, file.data, known)
    remedy = None if trusted else _remedy(file, directory, known)
    return file.replace(trusted=trusted, remedy=remedy)


def _remedy(file: RulesFile, directory: Directory, known: "Record") -> str | None:
    """What to do about a project's file that is not trusted, where it is not simply to read it."""
    from execpolicy.store.sources import trust

    if not directory.sure:
        return "the repository does not know this worktree: run `git worktree repair` in its main"
    if not trust.is_in_place(file.path):
        return "a link leads to it from another place: a file is trusted only where it really is"
    if known.problem:
        return known.problem.hint
    if trust.was_trusted(file.path, file.data, known):
        return "the trust was not yet bound to a project: run `execpolicy trust` again"
    return None


def _owned(file: RulesFile) -> bool:
    """Whether a system file is root's, a user's file the user's, and no other user can write it."""
    both = file.path, os.path.dirname(file.path)
    try:
        if file.layer != "system":
            return all(map(is_mine, both))
        return all(s.st_uid == 0 and not s.st_mode & 0o022 for s in map(os.stat, both))
    except OSError:
        return False
