"""What a command needs to run confined, once it was decided about: a look around, and a plan."""

import os

from execpolicy.model.confinement import BACKENDS, SandboxSettings, settle
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.sandbox import prepare
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.job import Job, in_session
from execpolicy.sandbox.plan import Approved, Plan, plan
from execpolicy.sandbox.rescan import Rescan
from execpolicy.sandbox.walls import MAX_PATH, Wall, fallible, is_mountable, wall_at
from execpolicy.store.sources.files import private_directory
from execpolicy.store.sources.own import missing
from execpolicy.support import digest
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from execpolicy.engine.unwrap import ExpandedOperation
    from execpolicy.model.operation import Request
    from execpolicy.model.split import SplitPolicy
    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.backends.serving import Way
    from execpolicy.sandbox.plan import View
    from execpolicy.sandbox.scan.git import GitUse
    from execpolicy.sandbox.scan.survey.result import Survey
    from execpolicy.store.snapshot import Snapshot

    Given = Mapping[str, str]

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
BASH, SH = "/bin/bash", "/bin/sh"


def use_of_git(request: "Request", snapshot: "Snapshot", verdict: "Verdict") -> "GitUse":
    """What a request that was decided about does with git."""
    from execpolicy.engine.unwrap import unwrap
    from execpolicy.sandbox.scan.environment import clean
    from execpolicy.sandbox.scan.git import LOCAL, GitUse, Variable, git_use, is_git

    if not any(is_git(judged.operation) for judged in verdict.judged):
        return GitUse()
    known = snapshot.variables
    has = dict(clean(os.environ, known.harmless, known.secret))
    steps = tuple(unwrap(request, snapshot))
    use = git_use(steps, verdict.judged, Variable(known, has))
    if not use.opens:
        return use
    if _sends_here(request, steps, snapshot):
        return use.replace(refusal=LOCAL)
    from execpolicy.sandbox.incoming import incoming

    of_git = [one for one in steps if is_git(one.operation)]
    found = incoming(of_git, request.cwd or os.getcwd(), snapshot.policy)
    return use.replace(incoming=found)


def _sends_here(
    request: "Request", steps: "Sequence[ExpandedOperation]", snapshot: "Snapshot"
) -> bool:
    """Whether a command may send to a repository of this machine."""
    if not any(c.effect == "remote" for s in steps if s.reading for c in s.reading.effects):
        return False
    from execpolicy.sandbox.sending import are_sent_away

    return not are_sent_away(request, steps, snapshot)


def shell_words(text: str) -> tuple[str, ...]:
    """The words that run a script text: by the shell that it was read for."""
    return (BASH if os.path.exists(BASH) else SH, "-c", text)


class Wanted(Value):
    """Words that were decided about, and how they are to run.

    `use` is what they do with git, `given` what their environment is chosen from, that of this
    process where there is none. `approved` are paths that the user approved, `read` paths that the
    words name and may read. The entries of `split` only narrow. `offline`: they have nothing to do
    with a network.
    """

    use: "GitUse"
    argv: tuple[str, ...]
    cwd: str
    given: "Given | None" = None
    approved: tuple[Approved, ...] = ()
    read: tuple[str, ...] = ()
    settings: SandboxSettings | None = None
    split: "SplitPolicy | None" = None
    offline: bool = False


def prepared(snapshot: "Snapshot", wanted: Wanted) -> Job:
    """The plan for what is wanted, and what is compared after the run.

    It is in no session and has no way out yet: see `connected`. Raises `NoSandboxError`.
    """
    use, cwd, split = wanted.use, wanted.cwd, wanted.split
    at = prepare.scene(snapshot.policy, cwd)
    for path in missing(at.roots):
        private_directory(path)
    environment = os.environ if wanted.given is None else wanted.given
    covered = prepare.home(snapshot, at, cwd, environment, () if split else wanted.read)
    walked = prepare.survey(at, covered)
    settings = wanted.settings or settle(snapshot.policy.sandbox)
    settings = settings.replace(reach=_loopback_ports(settings, snapshot))
    if settings.backend == BACKENDS[0]:
        _refuse_long(walked, (*at.roots, os.path.realpath(cwd)))
    seen = prepare.view(snapshot, cwd, at, covered, walked, environment, settings.caches)
    if split is not None:
        seen = seen.replace(entries=prepare.entries(split))
    config = prepare.followed(seen) if use.opens and use.tracks else ""
    planned = _planned(wanted, settings, seen, config)
    return Job(
        plan=planned.plan.replace(offline=wanted.offline, shares=_shares(snapshot)),
        around=Rescan(prepare.places(at), walked.closed, lambda: at),
        root=at.root or cwd,
        noted=walked.noted,
        directories=walked.directories,
        missing=planned.missing,
        incoming=use.incoming,
        caches=seen.absent if settings.caches == "write" else (),
        held=tuple(fallible(planned.plan.mounts)),
        config=config,
        links=walked.linked,
    )


def _shares(snapshot: "Snapshot") -> str:
    """A name for what lets connections through, which runs of one network let each other use."""
    every = snapshot.policy.network
    rules = [(r.host, r.protocol, int(r.decision), r.ports, r.methods) for r in every]
    return digest.of_parts(sorted(repr(rule).encode() for rule in rules))[:16]


def _refuse_long(walked: "Survey", works: "Iterable[str]") -> None:
    """Raise `NoSandboxError` where a run is to work in paths that no wall can be put on."""
    for path in works:
        if not is_mountable(path) or any(below(path, long) for long in walked.long):
            raise NoSandboxError(
                f"there is no sandbox for `{printable(path, 80)}`: paths of more than {MAX_PATH} "
                "bytes cannot be protected; remove what has such a path, or move the project to a "
                "directory with a shorter one"
            )


class _Planned(Value):
    """A plan, and the approved files that have to be made for it."""

    plan: Plan
    missing: tuple[str, ...]


def _planned(wanted: Wanted, settings: SandboxSettings, seen: "View", config: str) -> _Planned:
    """The plan with the approved paths opened, those too that nothing inside could make, and with
    git's configuration, if that is to be."""
    argv, use, approved = wanted.argv, wanted.use, wanted.approved
    there = [one for one in approved if os.path.lexists(one.path)]
    frees = (*use.incoming.frees, *filter(None, (config,)))
    made = plan(argv, settings, seen, git=use.opens, approved=there, frees=frees)
    missing = [one for one in approved if _has_to_be_made(one, made)]
    if missing:
        every = [*there, *missing]
        made = plan(argv, settings, seen, git=use.opens, approved=every, frees=frees)
    return _Planned(made, tuple(one.path for one in missing))


def connected(job: Job, snapshot: "Snapshot", way: "Way | None" = None, leader: str = "") -> Job:
    """The job in its session, and with its way out of the network inside.

    `way` is what lets connections through; without one, the rules alone. `leader` is the process
    that the session lasts as long as, if the run is to share what that has.
    """
    if not job.has_walls:
        return job
    if job.plan.offline:
        return in_session(job, leader)
    if _may_share(way):
        job = in_session(job, leader)
    reaches = bool(job.plan.settings.reach)
    if way is None and (snapshot.policy.network or reaches):
        from execpolicy.sandbox.backends.serving import Way

        way = Way(lambda: snapshot.policy)
    return with_way(job, way) if way and (reaches or way.leads_out()) else job


def _loopback_ports(settings: SandboxSettings, snapshot: "Snapshot") -> tuple[int, ...]:
    """The ports of this machine that are there inside: those of `sandbox`, and of rules that allow
    all of what a port of its loopback serves."""
    rules = (rule for rule in snapshot.policy.network if rule.decision is Decision.ALLOW)
    found = [p for r in rules if r.host in _LOOPBACK and not r.methods for p in r.ports]
    return tuple(dict.fromkeys((*settings.reach, *found)))


def _may_share(way: "Way | None") -> bool:
    """Whether other runs may use this one's way out: not where the user answers for it alone."""
    if way is None:
        return True
    if way.key:
        return False
    if way.registries:
        from execpolicy.policy.network_hosts import opens_more

        if opens_more(way.policy) or way.asking.possible:
            return False
    return not (way.asking.named or way.asking.terminal)


def with_way(job: Job, way: "Way") -> Job:
    """The job with this way out of the network inside."""
    from execpolicy.sandbox.backends import way_out

    port = way_out.free_port(shared=bool(job.plan.session))
    environment = way_out.with_variables(job.plan.environment, port)
    made = job.plan.replace(environment=environment)
    return job.replace(plan=made, gate=lambda: way_out.Gate(way, port, made.settings.reach))


def _has_to_be_made(one: Approved, made: Plan) -> bool:
    """Whether an approved file is missing, and nothing inside could make it."""
    parent = os.path.dirname(one.path)
    if one.mode != "write" or os.path.lexists(one.path) or not os.path.isdir(parent):
        return False
    return wall_at(parent, made.mounts) >= Wall.READ
