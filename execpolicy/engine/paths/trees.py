"""The files of a tree that a command reads, as far as there is a bound."""

from execpolicy.engine.paths.feeds.limits import Limits, limits
from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.support.path_match import below


def files(where: Whereabouts, path: str, extent: str) -> tuple[str, ...] | None:
    """The files below a directory that belong to an extent; None where there is no bound."""
    resolver = where.resolver
    if extent == "tracked":
        return resolver.tracked(path)
    place = resolver.locate(path)
    real = place.real or place.lexical
    if is_wide(where, real):
        return None
    found = resolver.below(real, extent == "visible")
    missing = found is None and resolver.kind(real) in ("missing", "file")
    return () if missing else found


def searched(where: Whereabouts, path: str, extent: str, taken: Limits) -> tuple[str, ...] | None:
    """Those of them that a search with these limits may read."""
    shown = files(where, path, extent)
    place = where.resolver.locate(path)
    top = (place.real or place.lexical).rstrip("/")

    def names(found: str) -> list[str]:
        return found[len(top) + 1 :].split("/") if below(found, top or "/") else found.split("/")

    if shown is None or taken == Limits():
        return shown
    read = [each for each in shown if taken.take(names(each))]
    if extent == "visible" and (taken.lifts or taken.open):
        every = files(where, path, "tree")
        if every is None:
            return None
        hidden = {*every}.difference(shown)
        read += [each for each in every if each in hidden and taken.bring(names(each))]
    return tuple(read)


def limits_of(where: Whereabouts, number: int) -> Limits:
    """Which files of a tree the command of a step leaves out."""
    reading = where.steps[number].reading
    return limits(reading.limits) if reading is not None and reading.limits else Limits()


def is_wide(where: Whereabouts, path: str) -> bool:
    """Whether the home is below a directory, so that it is too large to look at."""
    home = where.home
    return path == "/" or bool(home and below(home, path))
