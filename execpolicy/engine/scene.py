"""All that one decision is made in: the policy, and what lies around the commands."""

from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.operation import Exec, Request, Word
from execpolicy.model.program import UNSEEN
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.catalogue import Catalogue, Reading
    from execpolicy.engine.paths.changes.relocations import Relocations
    from execpolicy.engine.paths.overlays import Overlays
    from execpolicy.engine.paths.targets import Places
    from execpolicy.engine.paths.whereabouts import Whereabouts
    from execpolicy.engine.rules.received import Received
    from execpolicy.model.scope import Scope
    from execpolicy.places.resolver import Resolver, Root
    from execpolicy.places.steering import Steering
    from execpolicy.policy.path_index import PathIndex
    from execpolicy.policy.ruled_places import RuledPlaces
    from execpolicy.support.disk.repository import Repository


class Scene:
    """The snapshot that is asked, the steps of the request, and where they run.

    What few commands need is made when it is first asked for: `where` and `overlays`.
    """

    def __init__(
        self,
        request: Request,
        steps: "Sequence[ExpandedOperation]",
        snapshot: Snapshot,
        resolver: "Resolver",
        *,
        elsewhere: bool = False,
    ) -> None:
        self.elsewhere = elsewhere
        """In a container or on a device: nothing is known of what is there."""
        self.steps = steps
        self.snapshot = snapshot
        self.resolver = resolver
        self.root: Root | None = resolver.root(request.root, request.cwd)
        self._request = request
        self._places: Places | None = None
        self._paths: PathIndex | None = None
        self._received: Received | None = None
        self._secrets: tuple[str, ...] | None = None
        self._steering: tuple[Steering, ...] | None = None
        self._abroad: Scene | None = None
        self._where: Whereabouts | None = None
        self._overlays: Overlays | None = None
        self._repositories: dict[str, Repository | None] = {}
        self.of_step: dict[tuple[str, int], bool] = {}
        """What is asked of a step for each of its paths."""
        self.in_place: dict[tuple[int, str | None], Reading] = {}
        """What a command does where it runs, by its step and the program of the project that is
        taken for it: that is looked for once, also where the request is judged by more rules."""

    def at(self, number: int) -> "Scene":
        """The scene of one step: in a container or on a device no file of this machine counts."""
        outer = self.steps[number].outer
        while outer is not None:
            reading = self.steps[outer].reading
            if reading is not None and reading.unless_inner_reads:
                if self._abroad is None:
                    from execpolicy.places.blind import Blind

                    self._abroad = Scene(
                        self._request, self.steps, self.snapshot, Blind(), elsewhere=True
                    )
                return self._abroad
            outer = self.steps[outer].outer
        return self

    def under(self, snapshot: Snapshot) -> "Scene":
        """The same scene with other rules. Where paths lie does not change with them."""
        steps = self.steps
        if snapshot.catalogue is not self.snapshot.catalogue:
            known, now = self.snapshot.catalogue, snapshot.catalogue
            steps = tuple(_read_again(step, known, now) for step in steps)
        other = Scene(self._request, steps, snapshot, self.resolver)
        other._where, other._repositories = self._where, self._repositories
        if snapshot.policy.has_places_of(self.snapshot.policy):
            other._overlays = self._overlays
            if steps is self.steps:
                other.in_place = self.in_place
        return other

    def repository(self, directory: str) -> "Repository | None":
        """The repository that git uses in a directory. Git is asked about once for a request."""
        if directory not in self._repositories:
            from execpolicy.support.disk.repository import find

            self._repositories[directory] = find(directory, self.resolver)
        return self._repositories[directory]

    @property
    def scope(self) -> "Scope | None":
        """The folder that the agent is bound to."""
        return self._request.scope

    @property
    def is_command(self) -> bool:
        """Whether the request is one for a shell, and no tool of files."""
        return self._request.operations is None

    def inherits(self, number: int) -> bool:
        """Whether a step has the variables of this process: nothing that runs before gave more."""
        if self.steps[number].outer is not None:
            return False
        readings = (step.reading for step in self.steps if step.reading is not None)
        runs = any(cause.effect in UNSEEN for each in readings for cause in each.effects)
        return not runs and bool(self.resolver.variables())

    @property
    def received(self) -> "Received":
        """The variables that the command before received, and those of one to come."""
        if self._received is None:
            from execpolicy.engine.rules.received import Received

            self._received = Received(self.snapshot.variables)
        return self._received

    @property
    def secrets(self) -> tuple[str, ...]:
        """The variables with a secret whose value the texts of the request take."""
        if self._secrets is None:
            texts = {id(facts): facts for step in self.steps for facts in (step.position.facts,)}
            taken = {name for facts in texts.values() for name in facts.names}
            secret = self.snapshot.variables.secret
            self._secrets = tuple(name for name in sorted(taken) if secret(name))
        return self._secrets

    @property
    def joins_streams(self) -> bool:
        """Whether some output may go to another stream than where the pipeline takes it."""
        return True in [step.position.facts.diverts for step in self.steps]

    @property
    def steering(self) -> "tuple[Steering, ...]":
        """The inherited variables that lead programs into the session's root."""
        if self._steering is None:
            root = self.root
            if root is None or not root.project:
                return ()
            self._steering = self.resolver.steering(root.path)
        return self._steering

    @property
    def places(self) -> "Places":
        """Where relative paths may start."""
        if self._places is None:
            from execpolicy.engine.paths.targets import starts

            directories = _directories(self._request.cwd, self.steps)
            self._places = starts(self.snapshot.home, directories)
        return self._places

    @property
    def paths(self) -> "PathIndex":
        """The path rules, with the session's root where a pattern names it."""
        if self._paths is None:
            self._paths = self.snapshot.policy.paths.at(self.root.path if self.root else None)
        return self._paths

    @property
    def ruled(self) -> "RuledPlaces":
        """All that is laid over paths: the classes, and the path rules that tighten.

        Where no root is known a pattern that begins with `.` holds in any directory.
        """
        policy = self.snapshot.policy
        return (policy.paths if self.root else self.paths).laid(policy.places)

    @property
    def where(self) -> "Whereabouts":
        """Where each step runs."""
        if self._where is None:
            from execpolicy.engine.paths.whereabouts import Whereabouts

            cwd = self._request.cwd or (self.root.path if self.root else None)
            self._where = Whereabouts(
                self.steps,
                cwd,
                self.snapshot.home,
                self.root,
                self.resolver,
                self._request.roots,
            )
        return self._where

    def is_kept(self, number: int) -> bool:
        """Whether a class is laid over a directory where a step may run."""
        directories, root = self.where.of(number), self.root.path if self.root else None
        index = self.snapshot.policy.places
        return directories is None or any(index.of(d, self.where.home, root) for d in directories)

    @property
    def overlays(self) -> "Overlays":
        """The classes of the paths that are touched, and the rules about them."""
        if self._overlays is None:
            from execpolicy.engine.paths.overlays import Overlays

            self._overlays = Overlays(self.ruled, self.where)
        return self._overlays

    @property
    def relocations(self) -> "Relocations":
        """What the steps of the request put where before others find it there."""
        return self.overlays.relocations

    def is_missing(self, written: str) -> bool:
        """Whether nothing is at a path as a rule writes it: absolute, or below the home."""
        path = written.removesuffix("/*")
        if path[:2] == "~/" and self.where.home is not None:
            path = self.where.home + path[1:]
        return self.resolver.kind(path) == "missing"

    def planted(self, name: Word) -> str | None:
        """Where an agent may have put the program that PATH finds; None where none may.

        A path is not looked for, and of a computed name nothing is known.
        """
        if not isinstance(name, str) or "/" in name:
            return None
        root = self.root
        return self.resolver.planted(name, root.path if root and root.project else None)


class RequestCommand(Value):
    """A command of a request: its words, what is known of them, its step, and what is around it."""

    operation: Exec
    reading: "Reading"
    number: int
    scene: Scene


def _read_again(
    step: "ExpandedOperation", known: "Catalogue", now: "Catalogue"
) -> "ExpandedOperation":
    """The step as another catalogue reads it, which knows more programs that run no others."""
    name = step.argv[0] if step.argv else None
    if not isinstance(name, str) or known.paths_of(name) == now.paths_of(name):
        return step
    from execpolicy.catalogue import read

    return step.replace(reading=read(step.argv, now))


def _directories(cwd: str | None, steps: "Sequence[ExpandedOperation]") -> list[Word]:
    """Where relative paths may start: the working directory, and each that the request names."""
    found: list[Word] = [cwd] if cwd else []
    for step in steps:
        path = step.reading.cwd if step.reading else None
        if path is not None:
            found.append(path)
        elif isinstance(step.operation, Exec) and step.operation.argv == ("cd",):
            found.append("~")
    return found
