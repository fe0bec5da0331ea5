"""Whether a run shares what its session has, and how its plan says so."""

import os

from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.session import directory
from execpolicy.sandbox.walls import Mount, Wall, wall_at
from execpolicy.support.path_match import below

TEMPORARY = "/tmp"  # noqa: S108


def shared(plan: "Plan", leader: str, root: str) -> "Plan":
    """The plan of a run in the session that lasts as long as this process.

    Unchanged where the session's directory cannot be made.
    """
    try:
        path = directory.opened(leader, root)
    except OSError:
        return plan
    return sharing(plan, path)


def sharing(plan: "Plan", path: str) -> "Plan":
    """The plan of a run in the session of this directory.

    Where something is mounted below `/tmp`, that is the run's own: an earlier run could have put a
    link on the way there.
    """
    inside = [m for m in plan.mounts if below(m.path, TEMPORARY)]
    alone = [m.path for m in inside] == [TEMPORARY] and inside[0].wall is Wall.PRIVATE
    temporary = os.path.join(path, directory.TEMPORARY) if alone else ""
    base = directory.real_base()
    seen = wall_at(base, plan.mounts) <= Wall.READ
    others = (Mount(base, Wall.HIDDEN, "what sessions share"),) if seen else ()
    return plan.replace(mounts=(*plan.mounts, *others), session=path, temporary=temporary)
