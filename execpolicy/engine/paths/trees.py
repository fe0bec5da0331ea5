"""The files of a tree that a command reads, as far as there is a bound."""

from execpolicy.engine.paths.feeds.limits import Limits, limits
from execpolicy.engine.paths.history import kept
from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.model.place import Below
from execpolicy.policy.place_index import PlaceIndex
from execpolicy.support.disk.repository import find
from execpolicy.support.path_match import below


def files(index: PlaceIndex, where: Whereabouts, path: str, extent: str) -> tuple[str, ...] | None:
    """The files below a directory that belong to an extent; None where there is no bound."""
    if extent == "tracked":
        return where.resolver.tracked(path)
    found = tree(index, where, path, visible=extent == "visible")
    return None if found is None else found.files


def tree(
    index: PlaceIndex, where: Whereabouts, path: str, *, visible: bool = False
) -> Below | None:
    """The files and links below a directory; None where there is no bound, and none where it is
    known that no class is."""
    place = where.resolver.locate(path)
    real = place.real or place.lexical
    if is_wide(where, real):
        return None
    if index.has_none_below(real):
        return Below()
    found = walked(where, real, visible=visible)
    missing = found is None and where.resolver.kind(real) in ("missing", "file")
    return Below() if missing else found


def walked(where: Whereabouts, real: str, *, visible: bool = False) -> Below | None:
    """The files and links below a real directory; None where there are too many. Outside of
    projects and repositories few are enough."""
    root = where.root
    inside = root is not None and root.project and below(real, root.path)
    few = not inside and find(real, where.resolver) is None
    return where.resolver.below(real, visible, few)


def searched(
    index: PlaceIndex, where: Whereabouts, path: str, extent: str, taken: Limits
) -> tuple[str, ...] | None:
    """Those of them that may be of a class and that a search with these limits may read; without
    limits, and but for what git tracks, all of them."""
    place = where.resolver.locate(path)
    top = (place.real or place.lexical).rstrip("/")
    if extent == "tracked":
        classes = sorted(index.counted("read", extent))
        known = kept(index, where, path, "staged", classes)
        shown = None if known is None else tuple([p for p in known if below(p, top or "/")])
    else:
        shown = files(index, where, path, extent)

    def names(found: str) -> list[str]:
        return found[len(top) + 1 :].split("/") if below(found, top or "/") else found.split("/")

    if shown is None or taken == Limits():
        return shown
    read = [each for each in index.telling(shown, where.taken_apart) if taken.take(names(each))]
    if extent == "visible" and (taken.lifts or taken.open):
        every = files(index, where, path, "tree")
        if every is None:
            return None
        telling, seen = index.telling(every, where.taken_apart), frozenset(shown)
        read += [each for each in telling if each not in seen and taken.bring(names(each))]
    return tuple(read)


def limits_of(where: Whereabouts, number: int) -> Limits:
    """Which files of a tree the command of a step leaves out."""
    reading = where.steps[number].reading
    return limits(reading.limits) if reading is not None and reading.limits else Limits()


def is_wide(where: Whereabouts, path: str) -> bool:
    """Whether the home is below a directory, so that it is too large to look at."""
    home = where.home
    return path == "/" or bool(home and below(home, path))
