"""What a scope says about operations: writes that lie elsewhere, and a shell that is off."""

from _collections_abc import Iterator

from execpolicy.engine.paths.globs import is_glob, literal_directory
from execpolicy.engine.paths.targets import unquoted
from execpolicy.engine.scene import Scene
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Access, Dynamic
from execpolicy.model.place import Place
from execpolicy.model.scope import BashNotAllowed, Scope
from execpolicy.model.verdict import JudgedOperation, Match, Source
from execpolicy.places.process import SINKS

_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/", "/proc/self/fd/")
_COMPUTED = ("$", "`", "…", "{")


def bound(
    judged: list[JudgedOperation], scene: "Scene", scope: Scope, command: bool
) -> list[JudgedOperation]:
    """The same with what the scope refuses. `command`: the request is one for a shell."""
    found = []
    for number, one in enumerate(judged):
        matches = tuple(_refused(number, scene, scope))
        if command and number == 0 and isinstance(refusal := scope.bash(""), BashNotAllowed):
            matches = (Match(Source.SCOPE, Decision.FORBIDDEN, str(refusal)), *matches)
        found.append(JudgedOperation(one.operation, (*one.matches, *matches)) if matches else one)
    return found


def _refused(number: int, scene: "Scene", scope: Scope) -> "Iterator[Match]":
    """What is said about each path that a step writes or removes.

    A path that is outside from each directory where the step may run is refused; one that is from
    some of them, or that is computed, is asked about.
    """
    scene = scene.at(number)
    for access in _accesses(number, scene):
        path = unquoted(access.path)
        places = list(_places(path, access, number, scene))
        outside = [scope.refuse(place, access.mode) for place in places if not _is_stream(place)]
        refusals = [str(refusal) for refusal in outside if refusal is not None]
        computed = isinstance(access.path, Dynamic) and _is_computed(path)
        if refusals and len(refusals) == len(places):
            yield Match(Source.SCOPE, Decision.FORBIDDEN, refusals[0])
        elif refusals or computed or not places:
            why = f"{access.mode} `{printable(path, 60)}`: it may lie outside your scope"
            yield Match(Source.SCOPE, Decision.PROMPT, f"{why} `{scope.name}`")


def _accesses(number: int, scene: "Scene") -> "Iterator[Access]":
    """The paths that a step changes: its own, or those that its program's entry names."""
    return (access for access in scene.steps[number].accesses if access.mode != "read")


def _places(path: str, access: Access, number: int, scene: "Scene") -> "Iterator[Place]":
    """Where a path leads, from each directory where the step may run."""
    if isinstance(access.path, Dynamic):
        if is_glob(path):
            path = literal_directory(path)
        elif _is_computed(path):
            return
    for absolute in scene.overlays.absolute(path, number):
        yield scene.resolver.locate(absolute, access.mode != "remove")


def _is_computed(path: str) -> bool:
    return any(sign in path for sign in _COMPUTED)


def _is_stream(place: "Place") -> bool:
    """Whether what is written there is a stream that is open already, or goes nowhere."""
    if place.lexical.startswith(_STREAMS):
        return True
    return place.lexical in SINKS
