"""From a policy and the machine of this moment to a view: the one place that looks around."""

import os
from _collections_abc import Iterable, Iterator, Mapping

from execpolicy.model.decision import Decision
from execpolicy.model.rule import PERSONAL, PROJECT
from execpolicy.model.split import SplitPolicy
from execpolicy.places.disk import Disk
from execpolicy.policy.policy import Policy
from execpolicy.sandbox.plan import Found, GitDirectories, View
from execpolicy.sandbox.scan import environment
from execpolicy.sandbox.scan.caches import CACHES, COPIED, TOOLCHAINS, there, to_be_made
from execpolicy.sandbox.scan.git import control_paths, directories
from execpolicy.sandbox.scan.git_config import named
from execpolicy.sandbox.scan.home import Cover, cover, programs, uncovered
from execpolicy.sandbox.scan.indirect import programs as reached_programs
from execpolicy.sandbox.scan.names import NameIndex, tightens
from execpolicy.sandbox.scan.opened import Openings
from execpolicy.sandbox.scan.survey import stages
from execpolicy.sandbox.scan.survey.matching import REPOSITORY
from execpolicy.sandbox.scan.survey.result import Survey
from execpolicy.sandbox.walls import Entries, parents
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources.own import kept
from execpolicy.support.disk.repository import find
from execpolicy.support.path_match import PathPattern, below, outermost
from execpolicy.support.record import Value

PRIVATE = ("/tmp", "/var/tmp", "/run")  # noqa: S108


MAX_REPOSITORIES = 200
"""Repositories in the roots of which the configuration is read."""


class SurveyInput(Value):
    """What a walk needs, to be made again at the end of a run.

    `named_by_git` are paths below the roots that the configuration of git names, `read_by_git`
    files of the home that it does.
    """

    index: NameIndex
    roots: tuple[str, ...]
    home: str
    root: str | None
    git: GitDirectories | None
    named_by_git: tuple[str, ...] = ()
    read_by_git: tuple[str, ...] = ()


def scene(policy: "Policy", cwd: str) -> SurveyInput:
    """Where a run in this directory works, and which names matter there."""
    disk = Disk()
    home = os.path.realpath(os.path.expanduser("~"))
    found = disk.root(None, cwd)
    root = found.path if found and found.project else None
    index = NameIndex(policy, home, root)
    git = directories(find(root or cwd, disk, bare=False))
    bases = [path for path in _allowed(policy, home, root) if os.path.isdir(path)]
    bases += added(policy, home)
    roots = [path for path in (root, *bases) if path]
    made = SurveyInput(index, outermost(roots), home, root, git)
    _find_programs(made, disk)
    by_git = named(git, root or cwd, home) if git else ()
    every = (each for path in by_git for each in (path, *_missing_above(path)))
    may = dict.fromkeys(path for path in every if _may_be_made(path, made))
    seen = tuple(path for path in by_git if below(path, home) and os.path.isfile(path))
    return made.replace(named_by_git=tuple(may), read_by_git=seen)


def _missing_above(path: str) -> "Iterator[str]":
    """The directories above a path that are not there: a link could be made in their place."""
    for above in parents(path):
        if os.path.lexists(above):
            return
        yield above


def _find_programs(at: SurveyInput, disk: Disk) -> None:
    """Give what PATH finds in the project the name that rules know it by."""
    for path, name in reached_programs.names(disk, at.roots):
        if at.index.on_path(path) and not _is_made(path, at, disk):
            at.index.aliases.add(path, name)


def _is_made(path: str, at: SurveyInput, disk: Disk) -> bool:
    """Whether an installer put it there: what it installs are programs, too."""
    made = at.index.generated(path)
    return made is not None and not disk.tracks(made)


def _may_be_made(path: str, at: SurveyInput) -> bool:
    return any(below(path, root) and path != root for root in at.roots)


def survey(at: SurveyInput, covered: Cover) -> "Survey":
    """Look at all that a run there may touch or see."""
    tree = _tree(at, None, ())
    _take_up((path for path, _ in _named_by_nested(at, tree)), tree)
    found = stages.whole(stages.followed(stages.surroundings(tree, covered)))
    at.index.aliases.complete = True
    return found


def rescan(at: SurveyInput, openings: "Openings | None", closed: "Iterable[str]" = ()) -> "Survey":
    """Look at all that a run there may have made, but for what was `closed` to it.

    However much it made, and whatever it closed to everybody. A repository that it made itself
    protects nothing that lies beside it.
    """
    tree = _tree(at, openings, closed)
    nested = _named_by_nested(at, tree)
    _take_up((path for path, top in nested if below(path, top) and path != top), tree)
    return stages.followed(tree).survey()


def _tree(at: SurveyInput, openings: "Openings | None", closed: "Iterable[str]") -> stages.Tree:
    """What lies below the roots, with what git reads or runs there."""
    tree = stages.tree(at.index, at.roots, openings, closed)
    for root in at.roots:
        match = at.index.match(root, os.path.basename(root))
        if match is not None and match.reached:
            tree.matching.add(root, match)
    _take_up(at.named_by_git, tree)
    if at.git:
        for directory in dict.fromkeys((at.git.common, at.git.own)):
            for path in control_paths(directory):
                tree.matching.notes.note(path)
    return tree


def _take_up(paths: "Iterable[str]", tree: stages.Tree) -> None:
    """Take up what git reads or runs, as far as it is there."""
    for path in paths:
        if os.path.lexists(path):
            tree.matching.add(path, REPOSITORY)


def _named_by_nested(at: SurveyInput, tree: stages.Tree) -> "Iterator[tuple[str, str]]":
    """What the configurations of submodules and of other repositories in the roots name, each with
    the top of that repository."""
    known = {at.git.own} if at.git else set()
    found = [path for path in tree.repositories if path not in known]
    for path in found[:MAX_REPOSITORIES]:
        top = os.path.dirname(path) if path.endswith("/.git") else path
        git = directories(find(top, Disk()))
        if git and git.own not in known:
            known.add(git.own)
            yield from ((one, top) for one in named(git, top, at.home) if _may_be_made(one, at))


def places(at: SurveyInput) -> tuple[str, ...]:
    """Below which paths lies what `look_again` looks at."""
    git = (at.git.common, at.git.own) if at.git else ()
    return tuple(dict.fromkeys((*at.roots, *git)))


def view(
    snapshot: "Snapshot",
    cwd: str,
    at: SurveyInput,
    covered: Cover,
    walked: "Survey",
    given: "Mapping[str, str]",
    caches: str = "read",
) -> View:
    """What the plan has to know; of the caches only where they are more than read."""
    opens = caches != "read"
    real = os.path.realpath(cwd)
    private = tuple(p for p in PRIVATE if os.path.isdir(p) and not os.path.islink(p))
    git = (at.git.own, at.git.common) if at.git else ()
    works = (at.home, real, at.root, *git)
    needed = [path for path in works if path and _below_any(path, private)]
    shown = (*needed, *at.roots)
    variables = snapshot.variables
    return View(
        cwd=real,
        home=at.home,
        root=at.root,
        writable=_writable(snapshot, at),
        private=private,
        needed=tuple(dict.fromkeys(needed)),
        found=tuple(
            f
            for f in walked.found.values()
            if not (covered.hides(f.path) or _is_away(f, private, shown))
        ),
        caches=tuple(there(at.home, CACHES) if opens else ()),
        absent=tuple(to_be_made(at.home, _programs(given, at.home)) if opens else ()),
        copied=tuple(there(at.home, COPIED) if opens else ()),
        toolchains=tuple(there(at.home, TOOLCHAINS) if opens else ()),
        closed=walked.closed,
        long=walked.long,
        unseen=walked.unseen,
        own=tuple(_own(private, shown, (real, *at.roots))),
        git=at.git,
        personal=covered.walls,
        environment=_with_agent(
            environment.clean(given, variables.harmless, variables.secret, caches),
            given,
            walked,
        ),
    )


def followed(seen: View) -> str:
    """The configuration of the repository, where git may write it: no rule is about it, and git
    takes it whole."""
    from execpolicy.sandbox.leftovers.tracking import may_open

    path = f"{seen.git.common}/config" if seen.git else ""
    ruled = any(one.path == path and one.rules for one in seen.found)
    return path if path and not ruled and may_open(path) else ""


def _own(
    private: tuple[str, ...], shown: tuple[str, ...], works: tuple[str, ...]
) -> "Iterator[str]":
    """What this engine keeps and can be seen inside, unless a run works in it."""
    for path in kept():
        away = _below_any(path, private) and not _below_any(path, shown)
        if not away and not any(below(one, path) for one in works):
            yield path


def _is_away(one: Found, private: tuple[str, ...], shown: tuple[str, ...]) -> bool:
    """Whether a path lies in a directory that is the run's own, and so is not there anyway."""
    away = _below_any(one.path, private) and not _below_any(one.path, shown)
    return away and all(map(tightens, one.rules))


AGENT = "SSH_AUTH_SOCK"
"""Where ssh and git find the agent that holds keys (ssh-agent(1))."""


def _with_agent(
    made: "tuple[tuple[str, str], ...]", given: "Mapping[str, str]", walked: "Survey"
) -> "tuple[tuple[str, str], ...]":
    """The same with the place of the agent, where a rule opens that."""
    found = walked.found.get(os.path.realpath(given.get(AGENT, "/")))
    opened = found is not None and found.kind == "socket" and not found.places
    return tuple(sorted((*made, (AGENT, given[AGENT])))) if opened else made


def _writable(snapshot: "Snapshot", at: SurveyInput) -> tuple[str, ...]:
    """The directories whose class may be written without a question."""
    allowed = snapshot.defaults.confined("write", (PROJECT,)) is Decision.ALLOW
    return tuple(p for p in (at.root, *added(snapshot.policy, at.home)) if p and allowed)


def entries(policy: "SplitPolicy") -> Entries:
    """The entries of a split policy that are there."""
    real = dict.fromkeys(os.path.realpath(entry.path) for entry in policy.entries)
    return Entries(policy, tuple((p, os.path.isdir(p)) for p in real if os.path.exists(p)))


def added(policy: "Policy", home: str) -> list[str]:
    """The directories that rules call projects beside the session's root."""
    found = (os.path.realpath(path) for path, _ in policy.places.bases.added(home))
    roots = (Disk().root(path, None) for path in found if os.path.isdir(path))
    return [root.path for root in roots if root is not None and root.project]


def home(
    snapshot: "Snapshot",
    at: SurveyInput,
    cwd: str,
    given: "Mapping[str, str]",
    read: "Iterable[str]" = (),
) -> Cover:
    """What of the home and its like a run there sees, unless all may be read without a question.

    `read` are paths that the command itself names and may read.
    """
    if snapshot.defaults.confined("read", (PERSONAL,)) is Decision.ALLOW:
        return uncovered(at.home)
    git = (at.git.own, at.git.common) if at.git else ()
    found = (one for path in _on_path(given) for one in programs(path, at.home))
    seen = [path for path in found if below(path, at.home) or not _below_any(path, PRIVATE[:2])]
    away = (*at.roots, *kept())  # what the engine keeps is no less hidden where it is named
    named = beside(read, at.home, away)
    needed = (*at.roots, os.path.realpath(cwd), *git, *at.read_by_git, *seen, *named)
    return cover(snapshot.policy, at.home, at.root, dict.fromkeys(needed))


def beside(paths: "Iterable[str]", home: str, away: "tuple[str, ...]") -> tuple[str, ...]:
    """Those of the paths that lie in a home, and in none of these directories."""
    return tuple(path for path in paths if below(path, home) and not _below_any(path, away))


def _allowed(policy: "Policy", home: str, root: str | None) -> "Iterator[str]":
    """The directories that allow rules open for writing."""
    starts = {"/": "", "~": home, ".": root}
    for rule in policy.paths.rules:
        if rule.decision is not Decision.ALLOW or rule.programs or "write" not in rule.modes:
            continue
        for path in rule.paths:
            pattern = PathPattern(path)
            start = starts.get(pattern.anchor)
            names = pattern.parts[:-1] if pattern.parts[-1:] == ("**",) else ()
            if (
                start is not None
                and (names or start)
                and not any("*" in n or "?" in n for n in names)
            ):
                yield os.path.realpath("/".join((start, *names)))


def _below_any(path: str, directories: tuple[str, ...]) -> bool:
    return any(below(path, directory) for directory in directories)


def _programs(given: "Mapping[str, str]", home: str) -> "list[str]":
    """The directories of PATH, which lie in homes too."""
    found = map(os.path.realpath, _on_path(given))
    return [path for path in dict.fromkeys(found) if os.path.isdir(path) and path != home]


def _on_path(given: "Mapping[str, str]") -> "list[str]":
    return [path for path in given.get("PATH", "").split(":") if path[:1] == "/"]
