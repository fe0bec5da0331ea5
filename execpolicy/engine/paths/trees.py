"""The files of a tree that a command reads, as far as there is a bound."""

from execpolicy.engine.paths.feeds.limits import Limits, limits
from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.model.operation import Exec
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


def limits_of(where: Whereabouts, number: int) -> Limits:
    """Which files of a tree the command of a step leaves out."""
    operation, reading = where.steps[number].operation, where.steps[number].reading
    literal = isinstance(operation, Exec) and all(isinstance(word, str) for word in operation.argv)
    return limits(reading) if literal and reading is not None else Limits()


def is_wide(where: Whereabouts, path: str) -> bool:
    """Whether the home is below a directory, so that it is too large to look at."""
    home = where.home
    return path == "/" or bool(home and below(home, path))
