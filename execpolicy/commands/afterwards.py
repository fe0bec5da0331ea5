"""What is told after a confined run: what was moved away, and what the walls kept it from."""

from execpolicy.commands.exit_codes import say
from execpolicy.model.errors import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.leftovers.done import Done
    from execpolicy.sandbox.leftovers.quarantine import Moved
    from execpolicy.sandbox.look.git import GitUse
    from execpolicy.sandbox.plan import Approved


def tell(
    job: "Job", done: "Done", needed: "Callable[[], tuple[GitUse, tuple[Approved, ...]]]"
) -> None:
    """Say on stderr what the user has to know.

    `needed` gives what the command does with git, and the paths that it names.
    """
    tell_moved(done.moved)
    for problem in (*done.lost, *done.problems):
        say(problem)
    if done.outcome.timed_out:
        limit = job.plan.settings.time
        say(f"ended after {limit} s, which is the limit of `sandbox(time = …)`")
    elif done.outcome.code:
        from execpolicy.sandbox.denied import evidence
        from execpolicy.sandbox.denied.denials import denials

        found = denials(job.plan, *needed())
        said = done.outcome.said if job.has_walls else b""
        known = [denial.path for denial in found]
        for line in (*(denial.told for denial in found), *evidence.told(job.plan, said, known)):
            say(line)


def tell_moved(moved: "Iterable[Moved]") -> None:
    """Say what was moved, and where it lies."""
    for one in moved:
        where = printable(one.to, 200)
        say(f"`{printable(one.path, 200)}` is protected and was moved to `{where}`")
