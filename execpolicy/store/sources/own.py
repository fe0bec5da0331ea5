"""This engine's own files as rules: they are `policy` wherever they lie.

The shipped rules name the usual directories. What is elsewhere, by a variable (`XDG_CONFIG_HOME`),
by a link or by the command line, is found here. It is looked for when a path is first asked about.
Snapshots and the sandbox ask `kept` and `missing` where these directories are.
"""

import os

from execpolicy.model.rule import Origin, PathRule, PlaceRule
from execpolicy.store.sources.files import private_directory
from execpolicy.support import directories
from execpolicy.support.path_match import below
from execpolicy.support.resources import BUILTIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from execpolicy.model.rule import Rule
    from execpolicy.policy.policy import ByKind
    from execpolicy.store.sources.files import RulesFile

    Moved = list[tuple[str, list[str]]]
    """Each usual directory, and the paths of the one that stands for it, but for the usual one."""

_USUAL = (
    ("~/.config/execpolicy", directories.config),
    ("~/.local/state/execpolicy", directories.state),
    ("~/.cache/execpolicy", lambda: os.path.dirname(directories.cache())),
)
"""How the shipped rules call the directories of this engine, and where they are."""
_TOPS = {"/": "/", "//": "/"}
"""Where no directory is above, and where that leads: two slashes stay two (POSIX 4.13)."""


class Computed:
    """Rules that are made when they are first looked at."""

    def __init__(self, make: "Callable[[], Iterable[Rule]]") -> None:
        self._make = make
        self._found: tuple[Rule, ...] | None = None

    def __iter__(self) -> "Iterator[Rule]":
        if self._found is None:
            self._found = tuple(self._make())
        return iter(self._found)


def own_rules(
    files: "Sequence[RulesFile]", folders: "Sequence[str]", others: "Sequence[ByKind]"
) -> "ByKind":
    """The rules for what is not where the shipped ones say.

    `files` and `folders` are what rules were read from, `others` all other rules: what they say of
    the usual directories, these say of where those really are.
    """
    named = [(f.layer, os.path.abspath(f.path)) for f in files if f.layer != BUILTIN]
    named += [("user", os.path.abspath(folder)) for folder in folders]
    found: Moved = []

    def moved() -> "Moved":
        found.extend(() if found else _directories())
        return found

    return {
        PlaceRule: Computed(lambda: _places(named, moved())),
        PathRule: Computed(lambda: _paths(others, moved())),
    }


def _places(named: "Iterable[tuple[str, str]]", ours: "Moved") -> "Iterator[PlaceRule]":
    known = ["/etc/execpolicy"]
    for usual, forms in ours:
        known += (os.path.expanduser(usual), *forms)
        if forms:
            yield _policy(BUILTIN, forms)
    real = {**_TOPS}
    for layer, path in dict.fromkeys(named):
        every = dict.fromkeys((path, _real(path, real)))
        forms = [form for form in every if not _is_known(form, known)]
        if forms:
            yield _policy(layer, forms)


def _policy(layer: str, paths: "Iterable[str]") -> PlaceRule:
    every = tuple(f"{path}/*" for path in paths)
    return PlaceRule("policy", every, (), Origin(layer, every[0].removesuffix("/*"), 1))


def _is_known(path: str, known: "Iterable[str]") -> bool:
    return "/.execpolicy/" in path or any(below(path, directory) for directory in known)


def _paths(others: "Iterable[ByKind]", ours: "Moved") -> "Iterator[PathRule]":
    """What path rules say of the usual directories, for those that are elsewhere."""
    moved = [(usual, forms) for usual, forms in ours if forms]
    for part in others if moved else ():
        for rule in part.get(PathRule, ()):
            if isinstance(rule, PathRule):
                paths = [other for path in rule.paths for other in _moved(path, moved)]
                if paths:
                    yield rule.replace(paths=tuple(paths))


def _moved(path: str, moved: "Iterable[tuple[str, Sequence[str]]]") -> "Iterator[str]":
    for usual, forms in moved:
        if below(path, usual):
            yield from (form + path[len(usual) :] for form in forms)


def _directories() -> "Iterator[tuple[str, list[str]]]":
    """Each usual directory, and the paths of the one that stands for it, but for the usual one."""
    real = {**_TOPS}
    for usual, find in _USUAL:
        expected, path = os.path.expanduser(usual), os.path.abspath(find())
        forms = dict.fromkeys((path, _real(path, real)))
        yield usual, [form for form in forms if form != expected]


def _real(path: str, known: dict[str, str]) -> str:
    """As `os.path.realpath` of a normal path, with what is known of directories above, and is more
    afterwards: each directory above a deep one may have rules."""
    here, names = path, list[str]()
    while here not in known:
        here, name = os.path.split(here)
        names.append(name)
    found = known[here]
    for name in reversed(names):
        here, found = os.path.join(here, name), os.path.join(found, name)
        if os.path.islink(found):
            found = os.path.realpath(found)
        known[here] = found
    return found


def kept() -> tuple[str, ...]:
    """The directories of what this engine keeps for itself, which are made where they are not there
    yet: answers, trust, logs, compiled rules."""
    found = (directories.state(), os.path.dirname(directories.cache()))
    for path in found:
        try:
            private_directory(path)
        except OSError:  # nothing is kept there then
            continue
    return tuple(os.path.realpath(path) for path in found if os.path.isdir(path))


def missing(roots: "Sequence[str]") -> "Iterator[str]":
    """The directories of this engine that are not there, and of which the place lies in a root."""
    for _, find in _USUAL:
        path = os.path.realpath(find())
        if any(below(path, root) for root in roots) and not os.path.lexists(path):
            yield path
