"""What the walls kept a command from, by evidence: the paths that it names, and where they lie."""

import os
from collections.abc import Iterable

from execpolicy.model.decision import Decision
from execpolicy.model.errors import has_surrogates, printable
from execpolicy.sandbox.plan import Approved, Plan
from execpolicy.sandbox.scan.git import GitUse
from execpolicy.sandbox.walls import Wall, wall_at
from execpolicy.store.line import paths_line
from execpolicy.support.record import Value

NO_RULE = "none"


class Denial(Value):
    """A path that a command names and that its walls keep it from, and what would allow it: a rule,
    or `NO_RULE` where the reason says what to do for all below it."""

    path: str
    mode: str
    why: str
    rule: str

    @property
    def line(self) -> str:
        """One line for the user."""
        path = printable(self.path, 200)
        return f"denied inside: {self.mode} `{path}` ({self.why}); to allow it: {self.rule}"


def denials(plan: Plan, use: GitUse, named: Iterable[Approved]) -> tuple[Denial, ...]:
    """The denials of a run that failed, as far as they can be known for certain."""
    found = [denial for one in named if (denial := _of(one, plan))]
    if use.refusal:
        found.append(Denial(os.path.join(plan.cwd, ".git"), "write", use.refusal, NO_RULE))
    return tuple(dict.fromkeys(found))


def _of(one: Approved, plan: Plan) -> Denial | None:
    wall = wall_at(one.path, plan.mounts)
    if one.mode == "read" and not os.path.lexists(one.path):
        return None  # it is not there outside either
    if wall > Wall.READ or (wall is Wall.READ and one.mode != "read"):
        why = "it is hidden" if wall > Wall.READ else "it is only read"
        return denial(one.path, one.mode, why)
    return None


def denial(path: str, mode: str, why: str) -> Denial:
    """A denial, with the rule of the user that would allow it."""
    rule = "a `path_rule` with `?` in the place of each byte that is not UTF-8"
    if not has_surrogates(path):
        rule = paths_line([path], [mode], Decision.ALLOW)
    return Denial(path, mode, why, rule)
