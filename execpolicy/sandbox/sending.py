"""Where a command of git sends to: a repository of this machine has hooks that run here."""

from _collections_abc import Sequence

from execpolicy.engine.rules.remotes import configured_host
from execpolicy.engine.scene import RequestCommand, Scene
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.operation import Exec, Request
from execpolicy.places.disk import Disk
from execpolicy.store.snapshot import Snapshot


def are_sent_away(
    request: "Request", steps: "Sequence[ExpandedOperation]", snapshot: "Snapshot"
) -> bool:
    """Whether each step that sends sends to a host, which its words or the configuration name."""
    scene = Scene(request, tuple(steps), snapshot, Disk())
    for number, step in enumerate(steps):
        operation, reading = step.operation, step.reading
        if not isinstance(operation, Exec) or reading is None or not sends(step):
            continue
        is_named = any(cause.effect == "network" for cause in reading.effects)
        command = RequestCommand(operation, reading, number, scene.at(number))
        if not (is_named or configured_host(command)):
            return False
    return True


def sends(step: "ExpandedOperation") -> bool:
    """Whether a step changes another repository."""
    return step.reading is not None and any(c.effect == "remote" for c in step.reading.effects)
