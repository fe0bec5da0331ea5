"""What a change loses: content that neither git nor a place of the request itself has.

A file that git does not track and that holds something is lost where a program writes it anew, and
as good as lost where it is moved to a place in which removing is free.
"""

from _collections_abc import Iterable, Iterator

from execpolicy.engine.paths.changes.revisions import revisions
from execpolicy.engine.paths.globs import is_glob
from execpolicy.engine.paths.targets import unquoted
from execpolicy.engine.scene import Scene
from execpolicy.model.operation import Access
from execpolicy.model.rule import GENERATED, TEMPORARY
from execpolicy.support.path_match import and_above, normal

FREE = frozenset((GENERATED, TEMPORARY))
"""The classes of places in which what is there may be removed."""


def loses(access: Access, number: int, scene: Scene) -> bool:
    """Whether opening a path, or moving what is there, loses content that nothing brings back."""
    if access.mode == "write":
        if access.extent == "restored":
            paths = _brought(number, scene)
        else:
            paths = _paths(access, number, scene) if access.replaces else ()
        return paths is None or any(
            _is_lost(each, number, scene)
            for path in paths
            for each in (path, *scene.relocations.linked(path, number))
        )
    return access.mode == "remove" and _to_free_place(access, number, scene)


def keeps(path: str, number: int, scene: Scene) -> bool:
    """Whether what stands at a path can be brought back: git has this very content, or the request
    itself made it."""
    origins = scene.relocations.origins(path, number)
    return all(
        scene.resolver.unchanged(each) or scene.resolver.kind(each) == "missing"
        for each in (path, *origins)
    )


def _paths(access: Access, number: int, scene: Scene) -> "Iterator[str]":
    """The absolute paths that a word names, of a glob those that it matches."""
    text = unquoted(access.path)
    for path in scene.where.absolute(text, number):
        if isinstance(access.path, str) or not is_glob(text):
            yield normal(path)
        else:
            yield from scene.where.expanded(path)


def _brought(number: int, scene: Scene) -> Iterable[str] | None:
    """The files that the revisions named by a step have, and its index has not: git writes them
    over those that it ignores (git-checkout(1), `--overwrite-ignore`). None where git does not
    tell them."""
    reading, resolver = scene.steps[number].reading, scene.resolver
    words = revisions(reading) if reading is not None else ()
    found: list[str] = []
    for directory in scene.where.of(number) or ():
        own = scene.repository(directory)
        if own is None or not words:
            continue
        brought = resolver.of_revisions(own.top, words)
        if brought is None:
            return None
        tracked = frozenset((brought and resolver.tracked(own.top)) or ())
        # an ignored file gives way to a directory, too
        every = (each for path in brought if path not in tracked for each in and_above(path))
        found += [each for each in every if len(each) > len(own.top)]
    return found


def _is_lost(path: str, number: int, scene: Scene) -> bool:
    """Whether a file holds something that git does not track, and is not away by then.

    What a process has open is not the same in another one.
    """
    resolver = scene.resolver
    place = resolver.locate(path)
    real = None if place.problem else place.real
    if real is None or resolver.kind(real) != "file" or resolver.tracks(real):
        return False
    if not resolver.head(real):
        return False
    return not scene.relocations.is_away(path, number)


def _to_free_place(access: Access, number: int, scene: Scene) -> bool:
    """Whether a step moves what cannot be brought back to where it may be removed."""
    of = scene.overlays.of
    if FREE.issuperset(base.place for base in of(access, number).bases):
        return False
    asked = "free", number
    if asked not in scene.of_step:
        targets = (each for each in scene.steps[number].accesses if each.mode == "write")
        scene.of_step[asked] = any(b.place in FREE for t in targets for b in of(t, number).bases)
    if not scene.of_step[asked]:
        return False
    paths = [*_paths(access, number, scene)]
    return not paths or not all(keeps(path, number, scene) for path in paths)
