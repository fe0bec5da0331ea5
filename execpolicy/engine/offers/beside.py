"""What is read beside the project: one rule for a checkout, one for a file, and no more."""

from _collections_abc import Callable, Iterable, Iterator

from execpolicy.catalogue.reading.cause import Cause
from execpolicy.engine.scene import Scene
from execpolicy.model.operation import Access, Word


def beside(
    causes: "Iterable[Cause]",
    number: int,
    scene: Scene,
    written: "Callable[[Word], str | None]",
) -> tuple[str, ...]:
    """The patterns of the paths that a command reads beside the project.

    That is all of a repository of the user's that it reads of, else the very file or the tree.
    Empty where something that asks is computed, or is not a path that is read.
    """
    found: dict[str, None] = {}
    for cause in causes:
        access = cause.subject
        if not isinstance(access, Access):
            continue
        for path in _asking(access, number, scene, written):
            if path is None:
                return ()
            found[_pattern(path, scene)] = None
    return tuple(found)


def _asking(
    access: Access, number: int, scene: Scene, written: "Callable[[Word], str | None]"
) -> "Iterator[str | None]":
    """The absolute paths that are read and ask for where they lie; None where one is computed."""
    if not _asks(access, number, scene):
        return
    path = written(access.path) if access.mode == "read" else None
    if path is None:
        yield None
        return
    for absolute in scene.overlays.absolute(path, number):
        if _asks(access.replace(path=absolute), number, scene):
            yield absolute


def _asks(access: Access, number: int, scene: Scene) -> bool:
    bases = tuple(base.place for base in scene.overlays.of(access, number).bases)
    return access.mode != "read" or bool(scene.snapshot.defaults.decide("read", bases))


def _pattern(path: str, scene: Scene) -> str:
    """The repository below the home that a path lies in, or the path."""
    home, is_tree = scene.where.home, scene.resolver.kind(path) == "directory"
    own = scene.repository(path if is_tree else path.rpartition("/")[0] or "/")
    if own is not None and home is not None and own.top.startswith(home + "/"):
        return f"{own.top}/*"
    return f"{path}/*" if is_tree else path
