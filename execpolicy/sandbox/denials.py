"""What the walls kept a command from, by evidence: the paths that it names, and where they lie."""

import os

from execpolicy.operation import Access
from execpolicy.sandbox import git
from execpolicy.sandbox.walls import Wall, wall_at
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.plan import Plan
    from execpolicy.verdict import Verdict


class Denial(Value):
    """A path that a command names and that its walls keep it from, and what would allow it."""

    path: str
    mode: str
    why: str
    rule: str

    @property
    def told(self) -> str:
        """One line for a person."""
        return f"denied inside: {self.mode} `{self.path}` ({self.why}); to allow it: {self.rule}"


def denials(plan: "Plan", verdict: "Verdict") -> "tuple[Denial, ...]":
    """The denials of a run that failed, as far as they can be known for certain."""
    found = [d for judged in verdict.judged if (d := _of(judged.operation, plan))]
    if not plan.git and git.wants_to_write(verdict.judged):
        found.append(_of_git(plan))
    return tuple(dict.fromkeys(found))


def _of(operation: object, plan: "Plan") -> Denial | None:
    if not isinstance(operation, Access) or not isinstance(operation.path, str):
        return None
    path = os.path.realpath(os.path.join(plan.cwd, os.path.expanduser(operation.path)))
    wall = wall_at(path, plan.mounts)
    reads = operation.mode == "read"
    if wall is Wall.HIDDEN or (wall is Wall.READ and not reads):
        why = "it is hidden" if wall is Wall.HIDDEN else "it is only read"
        rule = f'path_rule(["{path}"], modes = ["{operation.mode}"], decision = "allow")'
        return Denial(path, operation.mode, why, rule)
    return None


def _of_git(plan: "Plan") -> Denial:
    why = "beside git something runs that is not git; run git in a call of its own: two calls"
    return Denial(os.path.join(plan.cwd, ".git"), "write", why, "none, but two calls")
