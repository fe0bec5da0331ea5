"""What of the home, of other people's and of mounts is there in a sandbox: a list of what is.

All else of them is not. `rules/words/home.words`, the caches of `caches.words`, places of the class
`tools` and path rules name what is there; so do the directories that a run works in, those of
programs, and repositories.
"""

import os
from _collections_abc import Iterable, Iterator

from execpolicy.model.decision import Decision
from execpolicy.model.rule import PERSONAL, TOOLS
from execpolicy.policy.policy import Policy
from execpolicy.sandbox.scan.caches import CACHES
from execpolicy.sandbox.scan.indirect.aliases import links_on
from execpolicy.sandbox.scan.names import names_in_place, place_of
from execpolicy.sandbox.scan.status import in_order
from execpolicy.sandbox.walls import Wall, Walled
from execpolicy.support.disk.repository import is_top
from execpolicy.support.path_match import below, outermost
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

DEPTH = 3
MAX_DIRECTORIES = 1_000
"""How far below the home repositories are looked for, and in how many directories."""
_PREFIX = frozenset(("lib", "lib64", "libexec", "include", "pyvenv.cfg"))
"""What lies beside the `bin` of programs that were installed together (hier(7))."""


class Cover(Value):
    """The walls around what is personal, and what is in sight below the home.

    `shown` are the real paths there that are seen, `searched` those of them that keys are looked
    for in: not what tools keep, of which the places of keys are known.
    """

    home: str
    walls: tuple[Walled, ...] = ()
    shown: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()

    def hides(self, path: str) -> bool:
        """Whether a path is out of sight."""
        return below(path, self.home) and not any(below(path, one) for one in self.shown)

    def files(self, listed: "Iterable[os.DirEntry[str]]") -> "list[str]":
        """Those of some entries of the home that are files out of sight."""
        plain = (one for one in listed if one.is_file(follow_symlinks=False))
        return [one.path for one in plain if self.hides(one.path)]


def uncovered(home: str) -> Cover:
    """All of the home in sight."""
    return Cover(home, (), (home,), (home,))


def cover(policy: "Policy", home: str, root: str | None, needed: "Iterable[str]") -> Cover:
    """What hides all that is personal but for what is `needed`, as it is written: the directories
    that a run works in, and those of programs."""
    others = [wall for path in _others(policy, home) for wall in _hidden(path)]
    opened = [path for path in _by_rules(policy, home, root) if below(path, home)]
    if home == "/" or home in opened:
        return uncovered(home).replace(walls=tuple(others) if home != "/" else ())
    searched = dict.fromkeys((*needed, *opened, *_repositories(home)))
    there = {entry.name for entry in in_order(home)}
    words = (word for name in words_of("home").values() for word in sorted(name))
    named = (word for word in (*words, *CACHES) if word.partition("/")[0] in there)
    tools = (f"{home}/{word}" for word in named)
    walls = [Walled(home, Wall.COVERED, "personal"), *others]
    walls += _ways((*searched, *tools, *_tools(policy, home)))
    in_home = [os.path.realpath(path) for path in searched]
    return Cover(
        home,
        tuple(dict.fromkeys(walls)),
        outermost(w.path for w in walls if w.fallback and not w.target and below(w.path, home)),
        outermost(p for p in in_home if below(p, home) and p != home),
    )


def _hidden(path: str) -> "Iterator[Walled]":
    if os.access(path, os.R_OK):
        yield Walled(path, Wall.HIDDEN, "personal", directory=os.path.isdir(path))


def _others(policy: "Policy", home: str) -> "Iterator[str]":
    """The homes of others, and what mounts lie in."""
    for rule in policy.places.bases.rules:
        for path in rule.paths if rule.place == PERSONAL else ():
            directory = path.removesuffix("/*")
            if os.path.islink(directory) or not os.path.isdir(directory):
                continue
            if not below(home, directory):
                yield directory
            elif home != directory:
                names = (entry.path for entry in in_order(directory) if not entry.is_symlink())
                yield from (one for one in names if not below(home, one))


def _ways(paths: "Iterable[str]") -> "Iterator[Walled]":
    """What shows these paths, and the links on the way to each: as they stand, not what they lead
    to alone."""
    for path in paths:
        if not os.path.lexists(path):
            continue
        for link in links_on(path):
            yield Walled(link, Wall.READ, "needed", fallback=True, target=os.readlink(link))
        real = os.path.realpath(path)
        if os.path.lexists(real):
            yield Walled(real, Wall.READ, "needed", directory=os.path.isdir(real), fallback=True)


def _tools(policy: "Policy", home: str) -> "Iterator[str]":
    """The directories of the home that are places of tools."""
    rules = (rule for rule in policy.places.bases.rules if rule.place == TOOLS)
    return _placed((path for rule in rules for path in rule.paths), home, None)


def _by_rules(policy: "Policy", home: str, root: str | None) -> "Iterator[str]":
    """What rules let be read or written for every program."""
    for rule in policy.paths.rules:
        loosens = rule.decision is Decision.ALLOW and not rule.programs
        if loosens and ("read" in rule.modes or "write" in rule.modes):
            yield from _placed(rule.paths, home, root)


def _placed(paths: "Iterable[str]", home: str, root: str | None) -> "Iterator[str]":
    for text in paths:
        path = place_of(text, home, root)
        yield from (path,) if path else names_in_place(text, home, root)


def _repositories(home: str) -> "Iterator[str]":
    """The repositories in the directories of a home that are not hidden there, the topmost."""
    waiting, left = [(home, 0)], MAX_DIRECTORIES
    while waiting and left > 0:
        here, depth = waiting.pop(0)
        left -= 1
        for entry in in_order(here):
            if entry.is_symlink() or not entry.is_dir() or (not depth and entry.name[0] == "."):
                continue
            if is_top(entry.path):
                yield entry.path
            elif depth + 1 < DEPTH:
                waiting.append((entry.path, depth + 1))


def programs(path: str, home: str) -> "Iterator[str]":
    """What the programs of a directory need: that directory; of one in the home those that its
    links lead to, and what was installed with each."""
    yield path
    directory = os.path.realpath(path)
    if not below(directory, home):
        return
    yield from _installed(directory, home)
    for entry in in_order(path):
        if entry.is_symlink():
            real = os.path.realpath(entry.path)
            if below(real, home) and not below(real, directory):
                yield os.path.dirname(real)
                yield from _installed(os.path.dirname(real), home)


def _installed(directory: str, home: str) -> "Iterator[str]":
    """The directory above one of programs, if they were installed there together."""
    above, _, name = directory.rpartition("/")
    inside = below(above, home) and above not in (home, f"{home}/.local")
    if not (name in ("bin", "sbin") and inside):
        return
    if any(os.path.lexists(f"{above}/{one}") for one in _PREFIX):
        yield above
