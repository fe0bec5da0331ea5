"""Runs a prepared command, and leaves nothing that it may not leave."""

import os

from execpolicy.sandbox.backends.backend import Outcome, Watching
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from execpolicy.sandbox.backends.backend import Backend
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.look.noted import Noted
    from execpolicy.sandbox.look.opened import Openings
    from execpolicy.sandbox.plan import Plan
    from execpolicy.sandbox.quarantine import Moved, Quarantine

    Standard = tuple[int, int, int]


class Done(Value):
    """How a run ended, and what it made under protected names."""

    outcome: Outcome
    moved: "tuple[Moved, ...]" = ()


def run(
    job: "Job",
    given: "Standard" = (0, 1, 2),
    *,
    forward: bool = True,
    backend: "Backend | None" = None,
    stop: int = -1,
) -> Done:
    """Run to the end, or until there is something to read from `stop`, and leave nothing under a
    protected name.

    Raises `NoSandboxError`, and `OSError` where the run cannot be written down beforehand.
    """
    from execpolicy.sandbox.backends.choose import load

    chosen = backend or load(job.plan.settings.backend)
    watching = Watching(forward, gate=job.gate, stop=stop)

    def attempt(watching: Watching) -> Outcome:
        return _attempt(chosen, job, given, watching)

    if chosen.name == "bubblewrap" and not job.writes:
        return Done(attempt(watching))
    from execpolicy.sandbox.journal import text_of

    for path in job.caches:
        os.makedirs(path, 0o755, exist_ok=True)
    empty = [_made_empty(path) for path in job.missing]
    done = guarded(attempt, watching, text_of(job), lambda: job)
    for path, inode in empty:
        _forget(path, inode)
    return done


def _not_known() -> bool:
    return False


def guarded(
    attempt: "Callable[[Watching], Outcome]",
    watching: Watching,
    text: bytes,
    whole: "Callable[[], Job]",
    is_same: "Callable[[], bool]" = _not_known,
) -> Done:
    """Run what may leave something: written down before, looked at beside and after.

    `text` is what is written down. `is_same` says that nothing has certainly changed where the run
    could write; `whole` gives the job where something may have, and for a run that lasts.
    """
    from execpolicy.store import runs

    name = os.urandom(6).hex()
    kept = runs.begin(name, text)
    taken: list[Quarantine] = []
    watching = watching.replace(beside=_watcher(whole, name, taken), held=kept.fd)
    try:
        outcome = attempt(watching)
    except NoSandboxError:
        kept.close()
        raise
    if taken or not is_same():
        _tidy(whole(), name, taken)
    kept.close()
    return Done(outcome, tuple(moved for one in taken for moved in one.moved))


def _attempt(chosen: "Backend", job: "Job", given: "Standard", watching: Watching) -> Outcome:
    """Run; once more where another process removed what was to be mounted."""
    outcome = chosen.run(job.plan, given, watching)
    if not outcome.ran and (left := _still_there(job.plan)) is not job.plan:
        outcome = chosen.run(left, given, watching)
    return outcome


def _still_there(made: "Plan") -> "Plan":
    """The plan without mounts on what another process removed since it was made."""
    mounts = tuple(mount for mount in made.mounts if os.path.lexists(mount.path))
    return made if len(mounts) == len(made.mounts) else made.replace(mounts=mounts)


def _made_empty(path: str) -> tuple[str, int]:
    """Make the file that the user let be written, to be there for the mount; its inode.

    Raises `OSError`.
    """
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        return path, os.fstat(fd).st_ino
    finally:
        os.close(fd)


def _forget(path: str, inode: int) -> None:
    """Remove such a file where the command wrote nothing to it."""
    try:
        state = os.lstat(path)
        if state.st_ino == inode and state.st_size == 0:
            os.unlink(path)
    except OSError:
        return


def _tidy(job: "Job", name: str, taken: "list[Quarantine]") -> None:
    """Move away what appeared under protected names, and put links back."""
    from execpolicy.sandbox.look.opened import Openings

    openings = taken[0].openings if taken else Openings()
    try:
        walked = job.around.changed(openings)
        if walked is not None and walked.noted != job.noted:
            _put_right(job, name, walked.noted, openings, taken)
    finally:
        openings.close()


def _put_right(
    job: "Job",
    name: str,
    now: "Mapping[str, Noted]",
    openings: "Openings",
    taken: "list[Quarantine]",
) -> None:
    from execpolicy.sandbox.quarantine import Quarantine, appeared

    quarantine = taken[0] if taken else Quarantine(name, openings)
    for path in appeared(job.noted, now, job.plan.mounts):
        quarantine.take(path)
    quarantine.restore(job.noted.values())
    taken[:] = [quarantine]


def _take_early(job: "Job", quarantine: "Quarantine") -> None:
    """Move away what appeared before the watch stood. Repositories may not be whole yet."""
    from execpolicy.sandbox.quarantine import appeared

    walked = job.around.changed(None)
    now = job.noted if walked is None else walked.noted
    for path in appeared(job.noted, now, job.plan.mounts):
        if not now[path].repository:
            quarantine.take(path)


def _watcher(
    whole: "Callable[[], Job]", name: str, taken: "list[Quarantine]"
) -> "Callable[[], tuple[int, Callable[[], None]] | None]":
    """Starts the watch over the directories of a job, where the kernel gives one.

    The quarantine that it fills is put into `taken`.
    """

    def start() -> "tuple[int, Callable[[], None]] | None":
        from execpolicy.sandbox.backends.inotify import Inotify
        from execpolicy.sandbox.look.watch import Watch
        from execpolicy.sandbox.quarantine import Quarantine

        try:
            inotify = Inotify()
        except OSError:
            return None
        job = whole()
        taken.append(Quarantine(name))
        watch = Watch(inotify, lambda: job.around.scene.index, job.noted, taken[0])
        for directory in job.directories:
            inotify.add(directory)
        _take_early(job, taken[0])
        return inotify.fd, watch.look

    return start
