"""All that one decision is made in: the policy, and what lies around the commands."""

from execpolicy.engine.expand import Step
from execpolicy.engine.targets import Places, composed
from execpolicy.operation import Exec, Request, Word
from execpolicy.path_match import below
from execpolicy.store.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.engine.overlays import Overlays
    from execpolicy.engine.whereabouts import Whereabouts
    from execpolicy.paths import PathIndex
    from execpolicy.places.resolver import Resolver, Root


class Scene:
    """The snapshot that is asked, the steps of the request, and where they run.

    What few commands need is made when it is first asked for: `where` and `overlays`.
    """

    __slots__ = (
        "_overlays",
        "_request",
        "_shadowing",
        "_where",
        "places",
        "resolver",
        "root",
        "snapshot",
        "steps",
    )

    def __init__(
        self,
        request: Request,
        steps: "Sequence[Step]",
        snapshot: Snapshot,
        resolver: "Resolver",
    ) -> None:
        self.steps = steps
        self.snapshot = snapshot
        self.resolver = resolver
        self.root: Root | None = resolver.root(request.root, request.cwd)
        self.places = Places(snapshot.home, _directories(request.cwd, steps))
        self._request = request
        self._shadowing: bool | None = None
        self._where: Whereabouts | None = None
        self._overlays: Overlays | None = None

    def under(self, snapshot: Snapshot) -> "Scene":
        """The same scene with other rules. Where paths lie does not change with them."""
        other = Scene(self._request, self.steps, snapshot, self.resolver)
        other._where, other._shadowing = self._where, self._shadowing
        return other

    @property
    def paths(self) -> "PathIndex":
        """The path rules, with the session's root where a pattern names it."""
        return self.snapshot.policy.paths.at(self.root.path if self.root else None)

    @property
    def where(self) -> "Whereabouts":
        """Where each step runs."""
        if self._where is None:
            from execpolicy.engine.whereabouts import Whereabouts

            cwd = self._request.cwd or (self.root.path if self.root else None)
            self._where = Whereabouts(
                self.steps, cwd, self.snapshot.home, self.root, self.resolver, self._request.text
            )
        return self._where

    @property
    def overlays(self) -> "Overlays":
        """The classes of the paths that are touched."""
        if self._overlays is None:
            from execpolicy.engine.overlays import Overlays

            words = self._request.argv or ()
            text = " ".join(words) if self._request.text is None else self._request.text
            self._overlays = Overlays(self.snapshot.policy.places, self.where, text)
        return self._overlays

    def writable(self, path: str) -> bool:
        """Whether an agent may put a program there: in the project, or where all may write."""
        root = self.root
        if root is not None and root.project and below(path, root.path):
            return True
        return any(below(path, directory) for directory in self.resolver.temporary())

    def shadow(self, name: str) -> str | None:
        """Where an agent may have put the program that PATH finds; None where none may."""
        if self._shadowing is None:
            self._shadowing = any(
                (place.real is None and place.lexical[:1] != "/")
                or self.writable(place.lexical)
                or (place.real is not None and self.writable(place.real))
                for place in self.resolver.search_path()
            )
        for path in self.resolver.program(name, self._shadowing):
            if path[:1] != "/" or self.writable(path):
                return path
        return None


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
