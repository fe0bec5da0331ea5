"""What a command needs to run confined, once it was decided about: a look around, and a plan."""

import os

from execpolicy.model.confinement import Confinement, settle
from execpolicy.model.rule import CACHES
from execpolicy.sandbox import prepare
from execpolicy.sandbox.plan import Approved, Plan, plan
from execpolicy.sandbox.walls import Wall, wall_at
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from execpolicy.model.operation import Request
    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.backends.serving import Way
    from execpolicy.sandbox.backends.way_out import Gate
    from execpolicy.sandbox.look.git import GitUse
    from execpolicy.sandbox.look.survey import Noted
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
    `missing` are files that the user let be made where nothing else may be written, `caches`
    directories of tools that are to be made.
    """

    plan: Plan
    scene: prepare.Scene
    noted: "Mapping[str, Noted]"
    directories: tuple[str, ...]
    missing: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()
    gate: "Callable[[], Gate] | None" = None


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
    way: "Way | None" = None,
    leader: str = "",
) -> Job:
    """The plan for words that were decided about, and what is compared after the run.

    `way` is what lets connections through; without one, the rules alone. `leader` is the process
    that the session lasts as long as, if the run is to share what that has.
    """
    at = prepare.scene(snapshot.policy, cwd)
    walked = prepare.walk(at)
    settings = settings or settle(snapshot.policy.sandbox)
    if settings.unix:
        prepare.host_sockets(walked)
    environment = os.environ if given is None else given
    opens = settings.caches != CACHES[0]
    seen = prepare.view(snapshot, cwd, at, walked, environment, caches=opens)
    opened = use.opens
    wanted = tuple(approved)
    there = [one for one in wanted if os.path.lexists(one.path)]
    made = plan(argv, settings, seen, git=opened, approved=there)
    missing = [one for one in wanted if _has_to_be_made(one, made)]
    if missing:
        made = plan(argv, settings, seen, git=opened, approved=[*there, *missing])
    paths = tuple(one.path for one in missing)
    caches = seen.absent if settings.caches == "write" else ()
    job = Job(made, at, walked.noted, tuple(walked.directories), paths, caches)
    if not chosen_walls(settings):
        return job
    if leader and _may_share(way):
        from execpolicy.sandbox.session.session import shared

        job = job.replace(plan=shared(made, leader, at.root or cwd))
    return _with_way(job, snapshot, way) if way or snapshot.policy.network else job


def _may_share(way: "Way | None") -> bool:
    """Whether other runs may use this one's way out: not where the user answers for it alone."""
    return way is None or not (way.asking.named or way.asking.terminal)


def _with_way(job: Job, snapshot: "Snapshot", way: "Way | None") -> Job:
    """The job with its way out of the network inside, where anything may be let through."""
    from execpolicy.sandbox.backends.serving import Way

    way = way or Way(snapshot)
    if not way.leads_out():
        return job
    from execpolicy.sandbox.backends import way_out

    port = way_out.free_port(shared=bool(job.plan.session))
    made = way_out.with_variables(job.plan, port)
    through = way
    return job.replace(plan=made, gate=lambda: way_out.Gate(through, port))


def chosen_walls(settings: Confinement) -> bool:
    """Whether the walls are ours, with a network of their own."""
    return settings.backend == "bubblewrap"


def _has_to_be_made(one: Approved, made: Plan) -> bool:
    """Whether an approved file is missing, and nothing inside could make it."""
    parent = os.path.dirname(one.path)
    if one.mode != "write" or os.path.lexists(one.path) or not os.path.isdir(parent):
        return False
    return wall_at(parent, made.mounts) in (Wall.READ, Wall.HIDDEN)
