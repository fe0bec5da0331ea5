"""A run that may leave something: written down before it, looked at beside it and after it."""

import os

from execpolicy.model.errors import printable
from execpolicy.sandbox.backends.backend import Watching
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.leftovers.done import Done
from execpolicy.sandbox.leftovers.held import Held
from execpolicy.store import runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from execpolicy.sandbox.backends.backend import Beside, Outcome
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.leftovers.quarantine import Quarantine
    from execpolicy.sandbox.leftovers.watch import Watch
    from execpolicy.sandbox.look.noted import Noted
    from execpolicy.sandbox.look.opened import Openings


def _not_known() -> bool:
    return False


def guarded(
    attempt: "Callable[[Watching], Outcome]",
    watching: Watching,
    text: bytes,
    whole: "Callable[[], Job]",
    held: "Iterable[str]",
    is_same: "Callable[[], bool]" = _not_known,
) -> Done:
    """Run what may leave something: written down before, looked at beside and after.

    `text` is what is written down. `held` are paths whose walls may fall. `is_same` says that
    nothing has certainly changed where the run could write; `whole` gives the job where something
    may have, and for a run that lasts.
    """
    name = os.urandom(6).hex()
    kept = runs.begin(name, text)
    taken: list[Quarantine] = []
    walls = Held(held)
    watching = watching.replace(beside=_watcher(whole, name, taken, walls), held=kept.fd)
    try:
        outcome = attempt(watching)
    except NoSandboxError:
        kept.close()
        walls.close()
        raise
    walls.look()
    walls.close()
    problems = _tidied(whole, name, taken) if taken or not is_same() else ()
    kept.leave() if problems else kept.close()
    return Done(
        outcome, tuple(moved for one in taken for moved in one.moved), problems, walls.told()
    )


def _tidied(whole: "Callable[[], Job]", name: str, taken: "list[Quarantine]") -> tuple[str, ...]:
    """Leave nothing; what could not be done, in sentences. The command ran, whatever it made."""
    try:
        return _tidy(whole(), name, taken)
    except (OSError, ValueError) as error:
        why = printable(str(error), 200)
        return (f"what the command made under protected names was not looked for: {why}",)


def _tidy(job: "Job", name: str, taken: "list[Quarantine]") -> tuple[str, ...]:
    """Move away what appeared under protected names, and put links back."""
    from execpolicy.places.repository.unfinished import is_state
    from execpolicy.sandbox.look.opened import Openings

    openings = taken[0].openings if taken else Openings()
    try:
        walked = job.around.changed(openings)
        if walked is not None and (walked.noted != job.noted or any(map(is_state, walked.noted))):
            return _put_right(job, name, walked.noted, openings, taken)
        return ()
    finally:
        openings.close()


def _put_right(
    job: "Job",
    name: str,
    now: "Mapping[str, Noted]",
    openings: "Openings",
    taken: "list[Quarantine]",
) -> tuple[str, ...]:
    from execpolicy.sandbox.leftovers.quarantine import Quarantine, appeared

    taken[:] = taken or [Quarantine(name, openings)]
    left = taken[0].take_all(appeared(job.noted, now, job.plan.mounts))
    taken[0].restore(job.noted.values())
    return left


def _take_early(job: "Job", quarantine: "Quarantine", watch: "Watch") -> None:
    """Move away what appeared before the watch stood, and watch what is new. Repositories may not
    be whole yet."""
    from execpolicy.sandbox.leftovers.quarantine import appeared

    walked = job.around.changed(None)
    if walked is None:
        return
    watch.add(walked.directories)
    for path in appeared(job.noted, walked.noted, job.plan.mounts):
        if not (walked.noted[path].repository or walked.noted[path].part):
            quarantine.take(path)


def _watcher(
    whole: "Callable[[], Job]", name: str, taken: "list[Quarantine]", walls: Held
) -> "Beside":
    """Starts the watch over the directories of a job, where the kernel gives one.

    The quarantine that it fills is put into `taken`.
    """

    def start() -> "tuple[int, Callable[[], bool]] | None":
        from execpolicy.sandbox.backends.inotify import Inotify
        from execpolicy.sandbox.leftovers.quarantine import Quarantine
        from execpolicy.sandbox.leftovers.watch import Watch

        try:
            inotify = Inotify()
        except OSError:
            return None
        job = whole()
        taken.append(Quarantine(name))
        watch = Watch(inotify, lambda: job.around.scene.index, job.noted, taken[0], walls)
        watch.begin(job.directories)
        _take_early(job, taken[0], watch)
        return inotify.fd, watch.look

    return start
