"""The paths of a repository's index and commits that are like those of some classes: what git may
show of them (`kept`), and where it may write them (`restorable`)."""

from _collections_abc import Iterable, Iterator

from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.places.resolver import MAX_HEAD
from execpolicy.policy.folding import fold
from execpolicy.policy.place_index import PlaceIndex
from execpolicy.support.disk.repository import find
from execpolicy.support.path_match import Location, NameKey, normal
from execpolicy.support.record import Value

MAX_KEPT = 64
"""Directories of which is kept what names below them are like."""
_OTHERS = (".hg", ".svn", ".jj", ".fslckout")
"""What a work tree of another system than git has at its top."""
_THERE = ("directory", "file")


class Listed(Value):
    """The paths that a system keeps; None where that is not known."""

    paths: tuple[str, ...] | None


def kept(
    index: PlaceIndex, where: Whereabouts, path: str, extent: str, classes: "Iterable[str]"
) -> tuple[str, ...] | None:
    """The paths that git has of the repository of an absolute path, those that may be of one of the
    classes; None where that is not known."""
    resolver = where.resolver
    real = resolver.locate(path).real or normal(path)
    own = find(real, resolver)
    other = _of_another(where, real, own.top if own else "/")
    if other is not None:
        return other.paths
    if own is None:  # nothing is kept, and what is there is read all the same
        return resolver.tracked(real) if resolver.kind(real) != "unknown" else None
    if extent == "staged":
        return resolver.tracked(own.top, keys_of(index, where, own.top, classes))
    return _of_all(index, where, own.top, classes, every=False)


def _of_another(where: Whereabouts, path: str, end: str) -> Listed | None:
    """What a system beside git keeps of a path that lies below `end`; None where there is none.

    Mercurial lists the files that it ever had (`fncache`; `hg help internals.requirements`), and
    what it was only now given is in the work tree. Of the others that is not known, but that a
    file which is there is no directory of others.
    """
    resolver, named = where.resolver, path
    path = path.removesuffix("/:")  # of `:/`, all of a repository
    ask = getattr(resolver, "marked", None)
    told = None if ask is None else ask(path, _OTHERS)
    while path != end and path not in ("", "/"):
        marks = _OTHERS if told is None or path in told else ()
        found = [mark for mark in marks if resolver.kind(f"{path}/{mark}") in _THERE]
        if found:
            ever = resolver.head(f"{path}/.hg/store/fncache")
            now = resolver.tracked(path)
            if found != [".hg"] or now is None or not 0 < len(ever) < MAX_HEAD:
                return Listed((named,) if resolver.kind(named) == "file" else None)
            names = [line[5:-2] for line in ever.splitlines() if line.startswith("data/")]
            return Listed((*now, *[f"{path}/{name}" for name in names]))
        path = path.rpartition("/")[0]
    return None


def restorable(
    index: PlaceIndex, where: Whereabouts, top: str, classes: "Iterable[str]"
) -> tuple[str, ...] | None:
    """The paths at which git may put what it keeps of a work tree, as `kept` gives them."""
    return _of_all(index, where, top, classes, every=True)


def _of_all(
    index: PlaceIndex, where: Whereabouts, top: str, classes: "Iterable[str]", *, every: bool
) -> tuple[str, ...] | None:
    keys = keys_of(index, where, top, classes)
    found = where.resolver.committed(top, keys, every) if keys else ()
    now = where.resolver.tracked(top, keys)
    return None if now is None or found is None else (*now, *found)


def is_whole(where: Whereabouts, path: str, absolute: str, extent: str) -> bool:
    """Whether a path is all of a repository: none is named (`:/`), or what is not a path is."""
    if extent == "staged" or path.rstrip("/").rpartition("/")[2] == ":":
        return True
    return extent == "revision" and where.resolver.kind(absolute) in ("missing", "unknown")


def below_any_case(path: str, directory: str) -> bool:
    """Whether a path is a directory or below it, for pathspecs whose case does not count, too."""
    low, above = fold(path), fold(directory).rstrip("/")
    return low == above or low.startswith(above + "/")


def keys_of(
    index: PlaceIndex, where: Whereabouts, top: str, classes: "Iterable[str]"
) -> "tuple[NameKey, ...]":
    """What names of paths of the classes below a directory are like, for all requests there."""
    asked = tuple(classes), top, where.home
    keys = index.below.get(asked)
    if keys is None:
        if len(index.below) >= MAX_KEPT:
            index.below.clear()
        keys = index.below[asked] = tuple(_keys(index, *asked))
    return keys


def _keys(
    index: PlaceIndex, classes: "Iterable[str]", top: str, home: str | None
) -> "Iterator[NameKey]":
    """What names of paths of the classes below a directory are like."""
    location = Location(fold(top), home and fold(home), None)
    for place in classes:
        for pattern, key in index.keys(place):
            if pattern.may_lie_below(location):
                yield key
