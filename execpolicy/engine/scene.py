"""All that one decision is made in: the policy, and what lies around the commands."""

from execpolicy.engine.expand import Step
from execpolicy.engine.overlays import Overlays
from execpolicy.engine.targets import Places, composed
from execpolicy.engine.whereabouts import Whereabouts
from execpolicy.operation import Exec, Request, Word
from execpolicy.path_match import below
from execpolicy.places.resolver import Resolver
from execpolicy.store.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.paths import PathIndex


class Scene:
    """The snapshot that is asked, the steps of the request, and where they run."""

    __slots__ = (
        "_shadowing",
        "overlays",
        "paths",
        "places",
        "resolver",
        "snapshot",
        "steps",
        "where",
    )

    def __init__(
        self, request: Request, steps: "Sequence[Step]", snapshot: Snapshot, resolver: Resolver
    ) -> None:
        root = resolver.root(request.root, request.cwd)
        cwd = request.cwd or (root.path if root else None)
        self.steps = steps
        self.resolver = resolver
        self.where = Whereabouts(steps, cwd, snapshot.home, root, resolver, request.text)
        self.places = Places(snapshot.home, _directories(request.cwd, steps))
        self._shadowing: bool | None = None
        text = request.text if request.text is not None else " ".join(request.argv or ())
        self.overlays = Overlays(snapshot.policy.places, self.where, text)
        self.snapshot = snapshot
        self.paths: PathIndex = snapshot.policy.paths.at(root.path if root else None)

    def under(self, snapshot: Snapshot) -> "Scene":
        """The same scene with other rules. Where paths lie does not change with them."""
        other = object.__new__(Scene)
        for name in Scene.__slots__:
            setattr(other, name, getattr(self, name))
        other.snapshot = snapshot
        root = self.where.root
        other.paths = snapshot.policy.paths.at(root.path if root else None)
        return other

    def writable(self, path: str) -> bool:
        """Whether an agent may put a program there: in the project, or where all may write."""
        root = self.where.root
        if root is not None and root.project and below(path, root.path):
            return True
        return any(below(path, directory) for directory in self.resolver.temporary())

    @property
    def shadowing(self) -> bool:
        """Whether PATH has a directory where an agent may put programs."""
        if self._shadowing is None:
            self._shadowing = any(
                place.real is None
                and place.lexical[:1] != "/"
                or self.writable(place.lexical)
                or (place.real is not None and self.writable(place.real))
                for place in self.resolver.search_path()
            )
        return self._shadowing


def _directories(cwd: str | None, steps: "Sequence[Step]") -> tuple[str, ...]:
    """Where relative paths may start: the working directory, and each that the request names."""
    found: list[Word] = [cwd] if cwd else []
    for step in steps:
        path = step.reading.cwd if step.reading else None
        if path is not None:
            found.append(path)
        elif isinstance(step.operation, Exec) and step.operation.argv == ("cd",):
            found.append("~")
    return composed(found) if found else ()
