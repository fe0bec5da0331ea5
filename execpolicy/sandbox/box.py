"""One confined run from its decision to its end: look, plan, launch, look again."""

import os
from functools import partial

from execpolicy.model.confinement import Confinement, settle
from execpolicy.sandbox import journal, prepare
from execpolicy.sandbox.backends.backend import Outcome, Watching
from execpolicy.sandbox.backends.choose import load
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.plan import Approved, Plan, plan
from execpolicy.sandbox.walls import Wall, wall_at
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from execpolicy.model.operation import Request
    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.backends.backend import Backend
    from execpolicy.sandbox.backends.way_out import Gate
    from execpolicy.sandbox.look.git import GitUse
    from execpolicy.sandbox.look.survey import Noted, Walk
    from execpolicy.sandbox.quarantine import Moved, Quarantine
    from execpolicy.store.snapshot import Snapshot

    Given = Mapping[str, str]

BASH, SH = "/bin/bash", "/bin/sh"


def use_of_git(request: "Request", snapshot: "Snapshot", verdict: "Verdict") -> "GitUse":
    """What a request that was decided about does with git."""
    from execpolicy.engine.unwrap import unwrap
    from execpolicy.sandbox.look.git import GitUse, git_use

    words = request.text or " ".join(request.argv or ())
    return git_use(unwrap(request, snapshot), verdict.judged) if "git" in words else GitUse()


class Job(Value):
    """A command that was decided about, ready to be confined.

    `noted` are the protected paths before the run, `directories` those that a watch follows.
    `missing` are files that a person let be made where nothing else may be written.
    """

    plan: Plan
    scene: prepare.Scene
    noted: "Mapping[str, Noted]"
    directories: tuple[str, ...]
    missing: tuple[str, ...] = ()
    gate: "Callable[[], Gate] | None" = None


class Done(Value):
    """How a run ended, and what it made under protected names."""

    outcome: Outcome
    moved: "tuple[Moved, ...]" = ()


def shell_words(text: str) -> tuple[str, ...]:
    """The words that run a script text: by the shell that it was read for."""
    return (BASH if os.path.exists(BASH) else SH, "-c", text)


def prepared(
    snapshot: "Snapshot",
    use: "GitUse",
    argv: "Sequence[str]",
    cwd: str,
    *,
    given: "Given | None" = None,
    approved: "Iterable[Approved]" = (),
    settings: Confinement | None = None,
) -> Job:
    """The plan for words that were decided about, and what is compared after the run."""
    at = prepare.scene(snapshot.policy, cwd)
    walked = prepare.walk(at)
    settings = settings or settle(snapshot.policy.sandbox)
    if settings.unix:
        prepare.host_sockets(walked)
    seen = prepare.view(snapshot, cwd, at, walked, os.environ if given is None else given)
    opened = use.opens
    wanted = tuple(approved)
    there = [one for one in wanted if os.path.lexists(one.path)]
    made = plan(argv, settings, seen, git=opened, approved=there)
    missing = [one for one in wanted if _has_to_be_made(one, made)]
    if missing:
        made = plan(argv, settings, seen, git=opened, approved=[*there, *missing])
    paths = tuple(one.path for one in missing)
    gate: Callable[[], Gate] | None = None
    if snapshot.policy.network and chosen_walls(settings):
        from execpolicy.sandbox.backends import way_out

        if way_out.wanted(snapshot.policy):
            made = way_out.with_variables(made)
            gate = partial(way_out.Gate, snapshot)
    return Job(made, at, walked.noted, tuple(walked.directories), paths, gate)


def chosen_walls(settings: Confinement) -> bool:
    """Whether the walls are ours, with a network of their own."""
    return settings.backend == "bubblewrap"


def _has_to_be_made(one: Approved, made: Plan) -> bool:
    """Whether an approved file is missing, and nothing inside could make it."""
    parent = os.path.dirname(one.path)
    if one.mode != "write" or os.path.lexists(one.path) or not os.path.isdir(parent):
        return False
    return wall_at(parent, made.mounts) in (Wall.READ, Wall.HIDDEN)


def run(
    job: Job,
    given: tuple[int, int, int] = (0, 1, 2),
    *,
    forward: bool = True,
    backend: "Backend | None" = None,
) -> Done:
    """Run to the end, and leave nothing under a protected name.

    Raises `NoSandboxError`, and `OSError` where the run cannot be written down beforehand.
    """
    chosen = backend or load(job.plan.settings.backend)
    empty = [_made_empty(path) for path in job.missing]
    name = os.urandom(6).hex()
    kept = journal.begin(name, job.plan, job.scene, job.noted)
    taken: list[Quarantine] = []
    beside = _watcher(job, name, taken)
    watching = Watching(forward, beside, kept.fd, job.gate)
    try:
        outcome = chosen.run(job.plan, given, watching)
        if not outcome.ran and (left := _still_there(job.plan)) is not job.plan:
            outcome = chosen.run(left, given, watching)
    except NoSandboxError:
        kept.close()
        raise
    walked = prepare.look_again(job.scene)
    if taken or walked.noted != job.noted:
        _tidy(job, name, walked, taken)
    kept.close()
    for path, inode in empty:
        _forget(path, inode)
    return Done(outcome, tuple(moved for one in taken for moved in one.moved))


def _still_there(made: Plan) -> Plan:
    """The plan without mounts on what another process removed since it was made."""
    mounts = tuple(mount for mount in made.mounts if os.path.lexists(mount.path))
    return made if len(mounts) == len(made.mounts) else made.replace(mounts=mounts)


def _made_empty(path: str) -> tuple[str, int]:
    """Make the file that a person let be written, to be there for the mount; its inode.

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


def _tidy(job: Job, name: str, walked: "Walk", taken: "list[Quarantine]") -> None:
    """Move away what appeared under protected names, and put links back."""
    from execpolicy.sandbox.quarantine import Quarantine, appeared

    quarantine = taken[0] if taken else Quarantine(name)
    for path in appeared(job.noted, walked.noted, job.plan.mounts):
        quarantine.take(path)
    quarantine.restore(job.noted.values())
    taken[:] = [quarantine]


def _take_early(job: Job, quarantine: "Quarantine") -> None:
    """Move away what appeared before the watch stood. Repositories may not be whole yet."""
    from execpolicy.sandbox.quarantine import appeared

    now = prepare.look_again(job.scene).noted
    for path in appeared(job.noted, now, job.plan.mounts):
        if not now[path].repository:
            quarantine.take(path)


def _watcher(
    job: Job, name: str, taken: "list[Quarantine]"
) -> "Callable[[], tuple[int, Callable[[], None]] | None]":
    """Starts the watch over the directories of a job, where the kernel gives one.

    The quarantine that it fills is put into `taken`.
    """

    def start() -> "tuple[int, Callable[[], None]] | None":
        from execpolicy.sandbox.look.inotify import Inotify
        from execpolicy.sandbox.look.watch import Watch
        from execpolicy.sandbox.quarantine import Quarantine

        try:
            inotify = Inotify()
        except OSError:
            return None
        taken.append(Quarantine(name))
        watch = Watch(inotify, job.scene.index, job.noted, taken[0])
        for directory in job.directories:
            if not inotify.add(directory):
                break
        _take_early(job, taken[0])
        return inotify.fd, watch.look

    return start
