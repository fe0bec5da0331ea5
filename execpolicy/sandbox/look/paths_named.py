"""The paths that a request names, with what it does to them, as far as they are literal."""

import os

from execpolicy.engine.unwrap import unwrap
from execpolicy.model.operation import MOVES, Exec
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
    found = []
    for access in (access for step in steps for access in step.accesses):
        path = access.path
        if not isinstance(path, str) or (moves and path[:1] not in ("/", "~")):
            continue
        try:
            real = os.path.realpath(os.path.join(request.cwd or "/", os.path.expanduser(path)))
        except OSError:  # a link that may not be read, of which `/proc` has some
            continue
        found.append(Approved(real, access.mode, os.path.isdir(real)))
    return tuple(dict.fromkeys(found))


def _moves(step: "ExpandedOperation") -> bool:
    return step.cwd is not None or (
        isinstance(step.operation, Exec) and step.operation.argv[0] in MOVES
    )
