"""A run that may leave something: written down before it, looked at beside it and after it."""

import os

from execpolicy.model.errors import printable
from execpolicy.sandbox.backends.backend import Watching
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.leftovers.finished_run import FinishedRun
from execpolicy.sandbox.leftovers.watch import Watch
from execpolicy.store import runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from execpolicy.sandbox.backends.backend import RunOutcome
    from execpolicy.sandbox.job import Job


def guarded(
    attempt: "Callable[[Watching], RunOutcome]",
    watching: Watching,
    text: bytes,
    whole: "Callable[[], Job]",
    held: "Iterable[str]",
    is_same: "Callable[[], bool]" = lambda: False,
) -> FinishedRun:
    """Run what may leave something: written down before, looked at beside and after.

    `text` is what is written down. `held` are paths whose walls may fall. `is_same` says that
    nothing has certainly changed where the run could write; `whole` gives the job where something
    may have, and for a run that lasts.
    """
    name = os.urandom(6).hex()
    kept = runs.begin(name, text)
    watch = Watch(whole, name, held)
    watching = watching.replace(beside=watch, held=kept.held)
    ran = False
    try:
        outcome = attempt(watching)
        ran = outcome.ran
    except NoSandboxError:
        kept.close()
        raise
    finally:
        watch.close(ran=ran)
    problems = _tidied(whole, name, watch) if watch.taken or not is_same() else ()
    kept.leave() if problems else kept.close()
    moved = tuple(moved for one in watch.taken for moved in one.moved)
    return FinishedRun(outcome, moved, problems, tuple(watch.lost), tuple(watch.told))


def _tidied(whole: "Callable[[], Job]", name: str, watch: Watch) -> tuple[str, ...]:
    """Leave nothing; what could not be done, in sentences. The command ran, whatever it made."""
    try:
        return _tidy(whole(), name, watch)
    except (OSError, ValueError) as error:
        why = printable(str(error), 200)
        return (f"what the command made under protected names was not looked for: {why}",)


def _tidy(job: "Job", name: str, watch: Watch) -> tuple[str, ...]:
    """Move away what appeared under protected names, and put links back."""
    from execpolicy.places.repository.unfinished import is_state
    from execpolicy.sandbox.scan.opened import Openings

    openings = watch.taken[0].openings if watch.taken else Openings()
    try:
        walked = job.around.changed(openings)
        if walked is None:
            return ()
        if walked.noted == job.noted and not any(map(is_state, walked.noted)):
            return ()
        from execpolicy.sandbox.leftovers.quarantine import Quarantine, appeared

        watch.taken[:] = watch.taken or [Quarantine(name, openings)]
        new = appeared(job.noted, walked.noted, job.plan.mounts)
        left = watch.taken[0].take_all(path for path in new if watch.is_left(path))
        watch.taken[0].restore(job.noted.values())
        return left
    finally:
        openings.close()
