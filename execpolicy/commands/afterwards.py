"""What is told after a confined run: what was moved away, and what the walls kept it from."""

import os
from _collections_abc import Callable, Iterable, Sequence

from execpolicy.commands.exit_codes import say
from execpolicy.model.errors import printable
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.leftovers.finished_run import FinishedRun
from execpolicy.sandbox.leftovers.quarantine import Moved
from execpolicy.sandbox.plan import Approved
from execpolicy.sandbox.scan.git import GitUse

MAX_TOLD = 20
"""Lines of one kind. A command may make any number of files."""


ANOTHERS = "it is a socket of another program"


def tell(
    job: "Job", done: "FinishedRun", needed: "Callable[[], tuple[GitUse, tuple[Approved, ...]]]"
) -> None:
    """Say on stderr what the user has to know.

    `needed` gives what the command does with git, and the paths that it names.
    """
    tell_moved(done.moved)
    tell_problems((*done.lost, *done.told, *done.problems))
    if done.outcome.timed_out:
        limit = job.plan.settings.time
        say(f"ended after {limit} s, which is the limit of `sandbox(time = …)`")
    elif done.outcome.code:
        from execpolicy.sandbox.denied import evidence
        from execpolicy.sandbox.denied.denials import denial, denials

        sockets = (denial(path, "write", ANOTHERS) for path in done.outcome.refused)
        found = (*sockets, *denials(job.plan, *needed()))
        said = done.outcome.said if job.has_walls else b""
        for line in evidence.denial_lines(job.plan, said, found):
            say(line)


def tell_moved(moved: "Iterable[Moved]") -> None:
    """Say what was moved, and where it lies; of many the first, and how many there are."""
    every = [*moved]
    for one in every[:MAX_TOLD]:
        where = printable(one.to, 200)
        say(f"`{printable(one.path, 200)}` is protected and was moved to `{where}`")
    if len(every) > MAX_TOLD:
        where = printable(os.path.dirname(every[-1].to), 200)
        say(f"so were {len(every) - MAX_TOLD} more, the last to `{where}`")


def tell_problems(problems: "Sequence[str]") -> None:
    """Say what is wrong; of many the first, and how many there are."""
    for problem in problems[:MAX_TOLD]:
        say(problem)
    if len(problems) > MAX_TOLD:
        say(f"and so on with {len(problems) - MAX_TOLD} more")
