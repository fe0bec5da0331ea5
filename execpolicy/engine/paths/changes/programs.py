"""Whether a path that is changed changes what PATH finds: what the user runs by a name."""

from execpolicy.places.resolver import Resolver
from execpolicy.policy.folding import fold


def changed(path: str, entry: bool, resolver: "Resolver") -> str | None:
    """The place of a program that changes with a path, or None.

    A program changes where its directory is one of PATH, or where a link of such a directory leads
    to the path. `entry`: something is put there under its own name, which is a path of its own.
    """
    place = resolver.locate(path)
    directories = resolver.programs()
    for each in dict.fromkeys((place.lexical, place.real or place.lexical)):
        if _is_in(each, directories, entry):
            return each
    if place.real is not None and resolver.is_program(place.real):
        return place.real
    return None


def above(path: str, resolver: "Resolver") -> tuple[str, ...]:
    """The directories of PATH that a normalised path is above."""
    beginning = path.rstrip("/") + "/"
    inside = [at for at in resolver.programs() if beginning in at and at != path]
    return tuple([at for at in inside if at.startswith(beginning)])


def _is_in(path: str, directories: "tuple[str, ...]", entry: bool) -> bool:
    """Names are compared as a file system without case would."""
    lowered, folded = tuple(map(fold, directories)), fold(path)
    beginnings = tuple(low.rstrip("/") + "/" for low in lowered)
    return folded.startswith(beginnings) or (not entry and folded in lowered)
