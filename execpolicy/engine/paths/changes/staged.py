"""What steps of a request put into a repository, of which git's index and commits know nothing yet:
`git add -f .env && git diff --cached` shows a file that git does not have."""

import posixpath
from _collections_abc import Iterable, Iterator, Sequence

from execpolicy.engine.paths.globs import is_glob
from execpolicy.engine.paths.targets import unquoted
from execpolicy.engine.paths.trees import walked
from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.operation import Dynamic, Word
from execpolicy.policy.place_index import PlaceIndex
from execpolicy.support.disk.repository import find
from execpolicy.support.path_match import below, name_fits, normal
from execpolicy.support.resources import words_of

_STAGING = words_of("git")["staging"]
_NAMING = frozenset(("add", "stage"))
"""Those of them whose operands are all that they take."""
_LISTS = frozenset((".gitignore", "exclude"))


def staged(index: PlaceIndex, where: Whereabouts, path: str, number: int) -> tuple[str, ...] | None:
    """The files of a work tree that may be of a class and that other steps may have put into the
    repository of an absolute path before this one runs; None where there are too many."""
    every = enumerate(where.steps)
    others = [n for n, step in every if n != number and (n < number or where.turns)]
    staging = [n for n in others if _subcommand(where.steps[n]) in _STAGING]
    own = find(where.resolver.locate(path).real or path, where.resolver) if staging else None
    if own is None:
        return ()
    listed = any(_changes_lists(where.steps[n]) for n in others)
    lines = where.resolver.head(f"{own.top}/.gitignore").splitlines()
    put: dict[str, None] = {}
    for n in staging:
        forced = listed or _forces(where.steps[n])
        for root in _taken(where, n, own.top):
            found = walked(where, root)
            if found is None:
                return None
            for file in index.telling((root, *found.files)):
                if forced or not _is_ignored(file[len(own.top) + 1 :].split("/"), lines):
                    put[file] = None
    return tuple(put)


def _subcommand(step: ExpandedOperation) -> str:
    path = step.reading.path if step.reading else ()
    return path[1] if path[:1] == ("git",) and len(path) > 1 else ""


def _taken(where: Whereabouts, number: int, top: str) -> "tuple[str, ...]":
    """The files and directories of a work tree that a step takes, as far as its operands say."""
    step = where.steps[number]
    words = step.reading.operands if step.reading and _subcommand(step) in _NAMING else ()
    if not words or not all(isinstance(word, str) and _is_plain(word) for word in words):
        return (top,)
    each = (normal(p) for word in words for p in where.named(unquoted(word), number))
    real = (where.resolver.locate(path).real or path for path in each)
    return tuple({path if below(path, top) else top: None for path in real})


def _is_plain(word: str) -> bool:
    return not is_glob(word) and word[:1] != ":"


def _forces(step: ExpandedOperation) -> bool:
    """Whether a step takes files that git ignores."""
    names = [given.name for given in step.reading.options] if step.reading else []
    subcommand = _subcommand(step)
    if subcommand == "update-index" or any(n == "-f" or n.startswith("--f") for n in names):
        return True
    return subcommand == "stash" and any(n == "-a" or n.startswith("--a") for n in names)


def _changes_lists(step: ExpandedOperation) -> bool:
    """Whether a step may change what git ignores."""
    changed = (access.path for access in step.accesses if access.mode in ("write", "remove"))
    return any(map(_may_be_list, changed))


def _may_be_list(word: Word) -> bool:
    return isinstance(word, Dynamic) or posixpath.basename(word) in _LISTS


def _is_ignored(names: "Sequence[str]", lines: "Iterable[str]") -> bool:
    """Whether the list at the top certainly has git ignore a file (gitignore(5))."""
    patterns = [*_patterns(lines)]
    return not any(line[:1] == "!" for line in patterns) and any(
        _matches(line, names) for line in patterns
    )


def _patterns(lines: "Iterable[str]") -> "Iterator[str]":
    return (line for each in lines if (line := each.strip()) and line[:1] != "#")


def _matches(line: str, names: "Sequence[str]") -> bool:
    glob = line.strip("/")
    if set(glob) & set("/[\\"):
        return False
    tried = names[:-1] if line[-1:] == "/" else names
    return any(name_fits(glob, name) for name in (tried[:1] if line[:1] == "/" else tried))
