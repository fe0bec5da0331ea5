"""Whether a path that is changed changes what PATH finds: what the user runs by a name."""

import posixpath

from execpolicy.policy.place_index import fold
from execpolicy.support.path_match import below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.engine.paths.changes.relocations import Relocations
    from execpolicy.places.resolver import Resolver


def changed(
    path: str, entry: bool, number: int, resolver: "Resolver", moves: "Relocations"
) -> str | None:
    """The place of a program that may change, or None.

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
    here = posixpath.normpath(path)
    above = (at for at in directories if at != here and below(at, here))
    return next((at for at in above if moves.brings(here, at, number)), None)


def _is_in(path: str, directories: "Iterable[str]", entry: bool) -> bool:
    """Names are compared as a file system without case would."""
    folded = fold(path)
    return any(
        below(folded, low) and not (entry and folded == low) for low in map(fold, directories)
    )
