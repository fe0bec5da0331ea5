"""Where rules come from: layered directories of `*.rules`, lowest first.

builtin, system (`/etc/execpolicy/rules`), user (`$XDG_CONFIG_HOME/execpolicy/rules`), project
(`.execpolicy/rules` of every directory from the repository's root down to the working directory),
and files named on the command line.
"""

import os
import stat

from execpolicy.store import dirs, trust
from execpolicy.store.files import RulesFile, is_mine, read_rules
from execpolicy.store.loader import MAX_RULES_BYTES
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SYSTEM = "/etc/execpolicy/rules"
PROJECT = os.path.join(".execpolicy", "rules")


class Directory(Value):
    """A directory of a layer. It need not exist."""

    layer: str
    path: str


class Skipped(Value):
    """Something in a layer's directory that is not read, and why."""

    path: str
    why: str


class Found(Value):
    """The files of all layers, in order, what was skipped, and the directories looked at."""

    files: tuple[RulesFile, ...]
    skipped: tuple[Skipped, ...]
    directories: tuple[Directory, ...]


def find(cwd: str | None, codex: bool = False) -> Found:
    """Every layer's files but the builtin ones, for a command that runs in `cwd`."""
    directories = tuple(_directories(cwd, codex))
    files: list[RulesFile] = []
    skipped: list[Skipped] = []
    for directory in directories:
        for path in _names(directory.path, skipped):
            files.append(read_rules(directory.layer, path, MAX_RULES_BYTES))
    return Found(tuple(_judged(files)), tuple(skipped), directories)


def _directories(cwd: str | None, codex: bool) -> "Iterator[Directory]":
    yield Directory("system", SYSTEM)
    if codex:
        yield Directory("system", "/etc/codex/rules")
    yield Directory("user", os.path.join(dirs.config(), "rules"))
    if codex:
        home = os.environ.get("CODEX_HOME") or os.path.join(os.path.expanduser("~"), ".codex")
        yield Directory("user", os.path.join(home, "rules"))
    for root in project_roots(cwd):
        yield Directory("project", os.path.join(root, PROJECT))
        if codex:
            yield Directory("project", os.path.join(root, ".codex", "rules"))


def project_roots(cwd: str | None) -> list[str]:
    """The directories from the repository's root down to `cwd`; `cwd` alone outside of one.

    In a linked worktree of git, the root of the main one comes first: what is not checked in
    there is not in the linked one either.
    """
    try:
        here = os.path.realpath(cwd or os.getcwd())
    except OSError:
        return []
    chain = [here]
    while not os.path.lexists(os.path.join(chain[-1], ".git")):
        parent = os.path.dirname(chain[-1])
        if parent == chain[-1]:
            return [here]
        chain.append(parent)
    main = _main_worktree(chain[-1])
    return [*([main] if main and main not in chain else []), *reversed(chain)]


def _main_worktree(root: str) -> str | None:
    """The main worktree's root where `root` is that of a linked one (gitrepository-layout(5))."""
    link = os.path.join(root, ".git")
    if not os.path.isfile(link):
        return None
    try:
        with open(link, encoding="utf-8") as file:
            gitdir = file.read(4096).partition("gitdir: ")[2].strip()
        gitdir = os.path.join(root, gitdir)
        with open(os.path.join(gitdir, "commondir"), encoding="utf-8") as file:
            common = os.path.realpath(os.path.join(gitdir, file.read(4096).strip()))
    except (OSError, ValueError):
        return None
    return os.path.dirname(common) if os.path.basename(common) == ".git" else None


def _names(directory: str, skipped: list[Skipped]) -> list[str]:
    """The paths of the rules files in a directory, sorted by name."""
    try:
        names = sorted(os.listdir(directory))
    except FileNotFoundError:
        return []
    except OSError as error:
        skipped.append(Skipped(directory, (error.strerror or str(error)).lower()))
        return []
    paths = []
    for name in names:
        path = os.path.join(directory, name)
        why = _why_skipped(path, name)
        if why is None:
            paths.append(path)
        elif why:
            skipped.append(Skipped(path, why))
    return paths


def _why_skipped(path: str, name: str) -> str | None:
    """Why a name in a layer's directory is not read; None if it is, empty if nobody wonders."""
    if not name.endswith(".rules"):
        return "its name does not end in `.rules`" if ".rules" in name.lower() else ""
    if name == ".rules":
        return "it has no name"
    if name.startswith("."):
        return "it is hidden"
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return None  # a broken link is a file that cannot be read
    return None if stat.S_ISREG(mode) else "it is no regular file"


def _judged(files: "Sequence[RulesFile]") -> "Iterator[RulesFile]":
    """Each file with what it may do: loosen only if the person or the machine's owner said so."""
    known = trust.pins() if any(f.layer == "project" for f in files) else {}
    for file in files:
        if file.layer == "project":
            yield file.replace(binding=trust.trusted(file.path, file.data, known))
        else:
            yield file.replace(binding=_owned(file))


def _owned(file: RulesFile) -> bool:
    """Whether a system file is root's, a user's file the user's, and no one else can write it."""
    try:
        status = os.stat(file.path)
        holder = os.stat(os.path.dirname(file.path))
    except OSError:
        return False
    if file.layer == "system":
        return all(s.st_uid == 0 and not s.st_mode & 0o022 for s in (status, holder))
    return is_mine(status) and is_mine(holder)
