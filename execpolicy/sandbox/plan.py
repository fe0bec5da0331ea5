"""The plan of a confined run: what is mounted, filtered, limited and handed in, as one value.

`plan` is pure. What lies on the disk comes in as a `View`, made by `survey`; what is done with the
plan is a backend's.
"""

from _collections_abc import Iterable, Sequence

from execpolicy.model.confinement import SandboxSettings
from execpolicy.model.decision import Decision
from execpolicy.model.rule import PathRule
from execpolicy.sandbox.walls import Entries, Mount, Wall, Walled, mounts
from execpolicy.support.path_match import below
from execpolicy.support.record import Value


class Found(Value):
    """Something on the disk that a rule or a place names, by its real path.

    `places` are the classes laid over it (`control`, `credentials`, `policy`), `rules` the path
    rules that name it, `named` the classes that an allowing path rule names.
    `kind` is `directory`, `file` or `socket`.
    """

    path: str
    kind: str
    places: tuple[str, ...] = ()
    rules: "tuple[PathRule, ...]" = ()
    named: tuple[str, ...] = ()
    origin: str = ""


class GitDirectories(Value):
    """The directories of a repository, by their real paths: of this worktree, and in common.

    `kept` are the control files in them, as far as they exist.
    """

    own: str
    common: str
    kept: tuple[str, ...] = ()


class View(Value):
    """What the machine looks like to a plan. All paths are real ones, and absolute.

    `root` is the session's root, None outside of a project. `writable` are the directories whose
    class `confined` lets be written. `private` are the system's temporary directories. `needed` are
    directories that a run needs to see (home, working directory, root). `caches` are those of known
    tools, `absent` those that are yet to be made, `copied` what is there beside them in a copy,
    `toolchains` what of them holds programs. `closed` are directories that were not looked
    into, `long` those of them with paths that no wall can be put on, `unseen` those of which the
    names are not known either, `personal` the walls around what is, `own` what this program keeps,
    `entries` what a split policy says.
    """

    cwd: str
    home: str
    root: str | None
    writable: tuple[str, ...]
    private: tuple[str, ...]
    needed: tuple[str, ...] = ()
    found: tuple[Found, ...] = ()
    caches: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()
    toolchains: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    long: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    personal: tuple[Walled, ...] = ()
    own: tuple[str, ...] = ()
    entries: Entries | None = None
    git: GitDirectories | None = None
    environment: tuple[tuple[str, str], ...] = ()


class Approved(Value):
    """A path that the user let be read or written for this call, by its real place."""

    path: str
    mode: str
    directory: bool = False


class Plan(Value):
    """How a command is confined. Printed by `run --dry`, carried out by a backend.

    `session` is the directory that says who shares a loopback, `temporary` the one that is `/tmp`
    inside; each is empty for a run that has its own. `offline`: the network is an empty one that no
    other run shares. `shares` names the rules that let connections through: a run with others has
    another network.
    """

    argv: tuple[str, ...]
    cwd: str
    mounts: tuple[Mount, ...]
    environment: tuple[tuple[str, str], ...]
    settings: SandboxSettings
    git: bool = False
    network: bool = False
    session: str = ""
    temporary: str = ""
    offline: bool = False
    shares: str = ""


def plan(
    argv: "Sequence[str]",
    settings: SandboxSettings,
    view: View,
    *,
    git: bool = False,
    approved: "Iterable[Approved]" = (),
    frees: tuple[str, ...] = (),
) -> Plan:
    """How these words run in this view.

    `git` opens the git directory, as far as git itself writes there. What the user approved is
    opened, that path only. What git `frees`, with all below, has no walls of its own.
    """
    walled = [*_base(view, settings), *_by_rules(view, git)]
    if git and view.git is not None:
        written = {one.path for one in walled if one.wall is Wall.WRITE}
        walled += [one for one in _opened(view.git) if one.path not in written]
    walled = [one for one in walled if not any(below(one.path, path) for path in frees)]
    if view.entries is not None:
        walled = view.entries.narrowed(walled)
    walled = _let_through(walled, tuple(approved))
    return Plan(tuple(argv), view.cwd, mounts(walled), view.environment, settings, git)


def _base(view: View, settings: SandboxSettings) -> "list[Walled]":
    """The walls that need no look at single files."""
    walled = [Walled(path, Wall.PRIVATE, "temporary") for path in view.private]
    walled += [Walled(path, Wall.READ, "needed", fallback=True) for path in view.needed]
    walled += [Walled(path, Wall.WRITE, "writable by `confined`") for path in view.writable]
    walled += view.personal
    walled += [Walled(path, Wall.HIDDEN, "what execpolicy keeps") for path in view.own]
    walled += [Walled(path, Wall.READ, "not looked into") for path in view.closed]
    walled += [Walled(path, Wall.HIDDEN, "paths that are too long") for path in view.long]
    walled += [Walled(path, Wall.HIDDEN, "not looked into") for path in view.unseen]
    if settings.caches == "write":
        opened = (*view.caches, *view.absent)
        walled += [Walled(path, Wall.WRITE, "cache of a tool") for path in opened]
        walled += [Walled(path, Wall.READ, "programs of a tool") for path in view.toolchains]
    if settings.caches == "overlay":
        copied = (*view.copied, *view.caches)
        walled += [Walled(path, Wall.COPY, "copy of a cache") for path in copied]
    return walled


def _by_rules(view: View, git: bool) -> "list[Walled]":
    opened = (view.git.own, view.git.common) if git and view.git else ()
    walled = []
    for one in view.found:
        wall = _wall(one)
        if wall is not None and one.path not in opened:
            why = ", ".join(one.places) or "a path rule"
            walled.append(Walled(one.path, wall, why, one.origin, one.kind == "directory"))
    return walled


def _wall(one: Found) -> Wall | None:
    """The wall of one path, None where nothing is to be done."""
    kept = [place for place in one.places if place not in one.named or place == "policy"]
    tightening = [rule for rule in one.rules if rule.decision is not Decision.ALLOW]
    walls = [Wall.HIDDEN if "credentials" in kept else Wall.READ] if kept else []
    walls += [Wall.HIDDEN if "read" in rule.modes else Wall.READ for rule in tightening]
    if walls:
        return max(walls)
    allowed = {mode for rule in one.rules for mode in rule.modes}
    if "write" in allowed:
        return Wall.WRITE
    return Wall.READ if one.places else None


def _opened(git: GitDirectories) -> "list[Walled]":
    """The git directories written, but for their control files."""
    directories = dict.fromkeys((git.common, git.own))
    walled = [Walled(path, Wall.WRITE, "written by git") for path in directories]
    return walled + [
        Walled(path, Wall.READ, "decides what git runs", directory=False) for path in git.kept
    ]


def _let_through(walled: "list[Walled]", approved: tuple[Approved, ...]) -> "list[Walled]":
    """What the user approved in the place of all else that is said about the very path."""
    approved = tuple(one for one in approved if one.mode != "remove")
    paths = {one.path for one in approved}
    left = [one for one in walled if one.path not in paths]
    for one in approved:
        wall = Wall.READ if one.mode == "read" else Wall.WRITE
        left.append(Walled(one.path, wall, "approved for this call", directory=one.directory))
    return left
