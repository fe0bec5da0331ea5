"""The paths that a request names, with what it does to them, as far as they are literal."""

import os

from execpolicy.engine.paths.feeds.openers import holds
from execpolicy.engine.paths.targets import matching_paths
from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.operation import MOVES, Exec, show
from execpolicy.places.disk import Disk
from execpolicy.sandbox.plan import Approved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.engine.unwrap import ExpandedOperation
    from execpolicy.model.operation import Request
    from execpolicy.store.snapshot import Snapshot


def paths_named(request: "Request", snapshot: "Snapshot") -> tuple[Approved, ...]:
    """Each path by its real place and what is done to it.

    A relative path counts only where the request never changes directory.
    """
    steps = unwrap(request, snapshot)
    moves = any(_moves(step) for step in steps)
    found: list[Approved] = []
    for access in (access for step in steps for access in step.accesses):
        path = access.path
        if not isinstance(path, str) or (moves and path[:1] not in ("/", "~")):
            continue
        found += _opened(path, access.mode, request)
    return tuple(dict.fromkeys(found))


def _opened(path: str, mode: str, request: "Request") -> list[Approved]:
    try:
        real = os.path.realpath(os.path.join(request.cwd or "/", os.path.expanduser(path)))
    except OSError:  # a link that may not be read, of which `/proc` has some
        return []
    return [Approved(real, mode, os.path.isdir(real))]


def paths_bound(request: "Request", snapshot: "Snapshot") -> tuple[Approved, ...]:
    """Those of them that a rule opens for the programs of this request, and for no others."""
    rules = [rule for rule in snapshot.policy.paths.rules if rule.programs]
    if not rules:
        return ()
    disk = Disk()
    scene = Scene(request, unwrap(request, snapshot), snapshot, disk)
    found: list[Approved] = []
    for number, step in enumerate(scene.steps):
        for access in step.accesses:
            bound = [r for r in matching_paths(scene.paths, access, scene.places) if r.programs]
            if any(holds(rule, access, number, scene) for rule in bound):
                found += _opened(show(access.path), access.mode, request)
    return tuple(dict.fromkeys(found))


def _moves(step: "ExpandedOperation") -> bool:
    return step.cwd is not None or (
        isinstance(step.operation, Exec) and step.operation.argv[0] in MOVES
    )
