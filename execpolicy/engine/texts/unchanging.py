"""Whether files stay what they are while a request runs: nothing of it may change them."""

from execpolicy.catalogue import Cause
from execpolicy.engine.paths.targets import unquoted
from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.operation import Access
from execpolicy.model.program import UNSEEN
from execpolicy.support.path_match import below, normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CHANGES = frozenset(("write", "destroy"))
_COMPUTED = frozenset("$`{*?[…")
_UNNAMED = frozenset(("below", "restored"))
"""Extents of which no word says which files change: git changes those of its whole work tree."""


def may_change(paths: "Iterable[str]", scene: Scene) -> bool:
    """Whether a step of a request may change what is at one of these paths, or begins like it."""
    folded = tuple(path.lower() for path in paths)
    return any(_may(step, number, folded, scene) for number, step in enumerate(scene.steps))


def _may(step: ExpandedOperation, number: int, paths: "tuple[str, ...]", scene: Scene) -> bool:
    causes = step.reading.effects if step.reading is not None else ()
    if any(map(_is_unseen, causes)) or _changes_unnamed(causes):
        return True
    changed = [a for a in step.accesses if a.mode in ("write", "remove") and not _is_gits(a)]
    return any(
        other is None or any(below(path, other) or other.startswith(path) for path in paths)
        for access in changed
        for other in _targets(access, number, scene)
    )


def _is_unseen(cause: Cause) -> bool:
    """Whether a cause is code of which it is not known what it does."""
    return cause.effect in UNSEEN and not (cause.known or cause.hooks or cause.where)


def _changes_unnamed(causes: "tuple[Cause, ...]") -> bool:
    """Whether a command changes something, and names nothing that it does, or code says what."""
    changing = [cause for cause in causes if cause.effect in _CHANGES]
    named = [isinstance(cause.subject, Access) for cause in changing]
    return bool(changing) and (not any(named) or any(cause.is_code for cause in changing))


def _is_gits(access: Access) -> bool:
    return access.extent == "repository"


def _targets(access: Access, number: int, scene: Scene) -> "Iterator[str | None]":
    """The paths that are changed, as written and as they really lie; None for any."""
    path, where = unquoted(access.path), scene.where
    unnamed = access.extent in _UNNAMED or not _COMPUTED.isdisjoint(path)
    lost = path[:1] not in ("/", "~") and not where.of(number, False)
    if unnamed or lost:
        yield None
        return
    for each in where.absolute(path, number):
        yield normal(each).lower()
        place = scene.resolver.locate(each)
        yield place.real.lower() if place.real and place.problem is None else None
