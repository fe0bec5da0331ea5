"""Runs a prepared command, and leaves nothing that it may not leave."""

import os

from execpolicy.sandbox.backends.backend import RunOutcome, Watching
from execpolicy.sandbox.leftovers.finished_run import FinishedRun

TRIES = 5
"""How often a run is begun while others save what is to be covered."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.backends.backend import Backend
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.leftovers.tracking import FollowedBranches
    from execpolicy.sandbox.plan import Plan

    Standard = tuple[int, int, int]


def run(
    job: "Job",
    given: "Standard" = (0, 1, 2),
    *,
    forward: bool = True,
    backend: "Backend | None" = None,
    stop: int = -1,
) -> FinishedRun:
    """Run to the end, or until there is something to read from `stop`, and leave nothing under a
    protected name.

    Raises `NoSandboxError`, and `OSError` where the run cannot be written down beforehand.
    """
    from execpolicy.sandbox.backends.choose import load

    chosen = backend or load(job.plan.settings.backend)
    watching = Watching(forward, gate=job.gate, stop=stop)

    def attempt(watching: Watching) -> RunOutcome:
        return _attempt(chosen, job, given, watching)

    if chosen.name == "bubblewrap" and not job.writes:
        return FinishedRun(attempt(watching))
    from execpolicy.sandbox.leftovers.guarded import guarded
    from execpolicy.sandbox.leftovers.journal import text_of

    for path in job.caches:
        os.makedirs(path, 0o755, exist_ok=True)
    empty = [_made_empty(path) for path in job.missing]
    config = _config(job)
    done = guarded(attempt, watching, text_of(job), lambda: job, job.held)
    told = config.problem() if config else ""
    for path, inode in empty:
        _forget(path, inode)
    return done.replace(told=(*done.told, told)) if told else done


def _config(job: "Job") -> "FollowedBranches | None":
    """Git's configuration as it is before a run that it is open to."""
    if not job.config:
        return None
    from execpolicy.sandbox.leftovers.tracking import FollowedBranches

    return FollowedBranches(job.config)


def _attempt(chosen: "Backend", job: "Job", given: "Standard", watching: Watching) -> RunOutcome:
    """Run; anew where another process removed or replaced what was to be mounted.

    bubblewrap makes a mount point where there is none, which would stay in the project: what is
    gone before it starts is left out.
    """
    plan = _still_there(job.plan)
    for _ in range(TRIES):
        before = _inodes(job)
        outcome = chosen.run(plan, given, watching)
        left = _still_there(plan)
        if outcome.ran or (left is plan and _inodes(job) == before):
            break
        plan = left
    return outcome


def _inodes(job: "Job") -> "list[int]":
    """What stands where single paths are covered: nothing can be mounted on what is replaced at
    that moment."""
    return [os.lstat(path).st_ino if os.path.lexists(path) else 0 for path in job.held]


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
