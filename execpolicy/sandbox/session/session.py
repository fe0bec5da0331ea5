"""Whether a run shares what its session has, and how its plan says so."""

import os

from execpolicy.sandbox.session import directory
from execpolicy.sandbox.walls import Mount, Wall
from execpolicy.support.path_match import below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.plan import Plan

TEMPORARY = "/tmp"  # noqa: S108


def shared(plan: "Plan", leader: str, root: str) -> "Plan":
    """The plan of a run in the session that lasts as long as this process.

    Unchanged where the session's directory cannot be made, and where something is mounted below
    `/tmp`: an earlier run could have put a link on the way there.
    """
    mounts = plan.mounts
    own = any(m.path == TEMPORARY and m.wall is Wall.PRIVATE for m in mounts)
    if not own or any(below(m.path, TEMPORARY) and m.path != TEMPORARY for m in mounts):
        return plan
    try:
        path = directory.opened(leader, root)
    except OSError:
        return plan
    others = Mount(os.path.realpath(directory.base()), Wall.HIDDEN, "what sessions share")
    return plan.replace(mounts=(*mounts, others), session=os.path.realpath(path))
