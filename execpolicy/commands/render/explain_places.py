"""Which places the paths of a request have, and the lines that made them so."""

from _collections_abc import Iterator, Sequence

from execpolicy.engine.engine import directory
from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.errors import printable
from execpolicy.model.operation import Request, show
from execpolicy.model.rule import Origin
from execpolicy.places.resolver import Resolver
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value

MAX_SHOWN = 120


class Placed(Value):
    """A path as it was written, one of its classes, and the declaration that gave it."""

    path: str
    place: str
    origin: Origin | None

    def to_wire(self) -> "dict[str, object]":
        """The class as JSON."""
        origin = None if self.origin is None else str(self.origin)
        return {"path": self.path, "place": self.place, "origin": origin}

    def __str__(self) -> str:
        origin = f" [{printable(str(self.origin))}]" if self.origin else ""
        return f"`{printable(self.path, MAX_SHOWN)}` is {self.place}{origin}"


def placed(
    request: Request, steps: "Sequence[ExpandedOperation]", snapshot: Snapshot, resolver: "Resolver"
) -> "list[tuple[Placed, ...]]":
    """The classes of every path of each step, base classes first."""
    if request.cwd is None:
        request = request.replace(cwd=directory(None))
    scene = Scene(request, steps, snapshot, resolver)
    return [tuple(dict.fromkeys(_of(step, at, scene.at(at)))) for at, step in enumerate(steps)]


def _of(step: ExpandedOperation, number: int, scene: Scene) -> "Iterator[Placed]":
    for access in step.accesses:
        touched = scene.overlays.of(access, number)
        path = show(access.path)
        for base in touched.bases:
            yield Placed(path, base.place, base.rule.origin if base.rule else None)
        for overlay in touched.overlays:
            yield Placed(path, overlay.rule.place, overlay.rule.origin)
