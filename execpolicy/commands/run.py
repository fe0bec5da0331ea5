"""`execpolicy run`: decide about a command, and run it in a sandbox made from the same policy."""

import os
import sys

from execpolicy.commands.arguments import parse
from execpolicy.commands.exit_codes import ENDING, ExitCode
from execpolicy.commands.run_job import changes, go_alone, leader, report, report_refusal, runnable
from execpolicy.commands.run_options import SYNTAX, RunOptions, requested, valid
from execpolicy.model.confinement import settle
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Source
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.ruling import Ruling, ruling_apart, runs_unknown
from execpolicy.sandbox.scan.git import TWO_CALLS
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from execpolicy.commands.asking import PromptAnswer
    from execpolicy.commands.run_answers import Answers
    from execpolicy.commands.run_keys import RunKey
    from execpolicy.commands.run_network import Ways
    from execpolicy.commands.snapshots import Snapped
    from execpolicy.engine.engine import Approvals, Engine
    from execpolicy.model.confinement import SandboxSettings
    from execpolicy.model.verdict import Verdict
    from execpolicy.places.resolver import Resolver
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.plan import Approved
    from execpolicy.sandbox.scan.git import GitUse
    from execpolicy.shell.parts import TextPart
    from execpolicy.store.snapshot import Snapshot

    Part = tuple[TextPart, "RunOptions"]

    class Recorder(Protocol):
        """Notes what a run depends on, while it is decided about."""

        def __enter__(self) -> object: ...

        def __exit__(self, kind: object, *error: object) -> None: ...

        def offer(self, decided: "Decided", ready: "Ready", options: RunOptions) -> None:
            """A run that is allowed, to be kept."""


def main(arguments: "Sequence[str]", noting: "Recorder | None" = None) -> int:
    """Decide, run, and give the command's exit code or one of `run`'s own.

    `noting` keeps what was found out for a run that begins alike.
    """
    parsed = parse(SYNTAX, arguments)
    options = valid(parsed)
    try:
        return _anew(options, noting)
    except NoSandboxError as error:
        return report_refusal(options.status, ExitCode.NO_SANDBOX, str(error))


def _anew(options: RunOptions, noting: "Recorder | None") -> int:
    """Decide and run. Raises `NoSandboxError` where there is nothing to confine it with."""
    if noting is None:
        return _go_on(_decided(options), options)
    with noting:
        decided = _decided(options)
        allowed = decided.ruling.decision is Decision.ALLOW
        ready = _ready(decided, options, interactive=False) if allowed else None
        if ready is not None and ready.key is None:
            noting.offer(decided, ready, options)
    return _go_on(decided, options, ready)


def engine(options: RunOptions) -> "Engine":
    """An engine by the policy that these options name."""
    from execpolicy.engine.engine import Engine

    made = Engine.load(
        options.rules,
        builtin=options.builtin,
        cwd=options.cwd,
        audit=True,
        approvals=_approvals(options.session),
    )
    made.way = "confined" if options.confined else "run"
    return made


def _approvals(leader_of: str | None) -> "Approvals":
    """What the session itself made, and earlier answers; read where a verdict asks."""

    def settled(
        request: Request, verdict: "Verdict", snapshot: "Snapshot", resolver: "Resolver"
    ) -> "Verdict":
        from execpolicy.commands import own_files
        from execpolicy.support import directories

        lowered = own_files.settled(lambda: leader(leader_of))(request, verdict, snapshot, resolver)
        if lowered.decision is not Decision.PROMPT or not os.path.lexists(directories.ledger()):
            return lowered
        from execpolicy.commands.ancestors import terminal_session
        from execpolicy.commands.remember import remembered
        from execpolicy.model.approval import Confinement

        session = terminal_session() or None
        answers = remembered("", session, spend=True, confinement=Confinement.SANDBOX)
        return answers(request, lowered, snapshot, resolver)

    return settled


class Decided(Value):
    """A request that was decided about."""

    engine: "Engine"
    request: Request
    verdict: "Verdict"
    use: "GitUse"
    ruling: Ruling
    settings: "SandboxSettings"


class Ready(Value):
    """A job, what may lead out of it, and the key that it uses."""

    job: "Job"
    ways: "Ways"
    key: "RunKey | None" = None


def _decided(options: RunOptions) -> Decided:
    """Decide about the one command."""
    from execpolicy.commands.unfinished import finish
    from execpolicy.sandbox.box import use_of_git
    from execpolicy.sandbox.ruling import ruling

    made = engine(options)
    finish()
    request = requested(options)
    verdict = made.decide(request)
    walled = options.confined and options.rules is not None
    settings = settle(made.snapshot.policy.sandbox, walled=walled)
    use = use_of_git(request, made.snapshot, verdict)
    ruled = ruling(verdict, settings, options.confined, use, snapshots=True)
    return Decided(made, request, verdict, use, ruled, settings)


def _go_on(
    decided: Decided, options: RunOptions, ready: Ready | None = None, *, approved: bool = False
) -> int:
    """Refuse, ask or run, as the decision says. `approved`: the user approved what it is of."""
    parts, keyed = _parts(decided, options)
    ruled = decided.ruling
    if parts:
        ruled = ruling_apart(decided.verdict, decided.settings, options.confined, decided.use)
    if ruled.decision is Decision.FORBIDDEN and not options.dry:
        return report_refusal(options.status, ExitCode.REFUSED, f"forbidden: {ruled.reason}")
    if ruled.decision is Decision.PROMPT and not options.dry and not approved:
        answer = _asked(decided, options)
        if not answer.allowed:
            code = ExitCode.REFUSED if answer.answered else ExitCode.NEEDS_USER
            return report_refusal(options.status, code, answer.why)
        approved = True
    if parts:
        approved |= keyed and _was_approved(decided.verdict)
        return _run_parts(parts, decided, options.status, approved=approved)
    if ready is None:
        from execpolicy.commands.asking import can_ask

        interactive = can_ask() and not options.dry
        ready = _ready(decided, options, approved=approved, interactive=interactive)
    return _print(ready, options) if options.dry else _run(decided, ready, options)


def _was_approved(verdict: "Verdict") -> bool:
    return any(match.source is Source.APPROVAL for match in verdict.matches)


def _parts(whole: Decided, options: RunOptions) -> "tuple[list[Part], bool]":
    """The parts of a list, each to be run in a sandbox of its own, and whether one uses a key.

    They are those beside which git may not write, if all that runs is allowed, as a whole and one
    by one, and those of which one uses a key, if none is refused.
    """
    text, refusal = options.text, whole.use.refusal
    if options.dry or options.begun:
        return [], False
    from execpolicy.engine.rules.credentials import may_use_key

    found: tuple[TextPart, ...] = ()
    if may_use_key(whole.verdict, whole.engine.snapshot):
        import shlex

        from execpolicy.commands.run_keys import parts_with_key

        written = shlex.join(options.argv) if text is None else text
        request = whole.request.replace(text=written, argv=None)
        found = parts_with_key(request, whole.engine.snapshot)
    keyed = bool(found)
    ruled = ruling_apart(whole.verdict, whole.settings, options.confined, whole.use)
    if not keyed and text is not None and refusal == TWO_CALLS and ruled.decision is Decision.ALLOW:
        from execpolicy.shell.parts import parts_of

        found = parts_of(text)
    each_alone = options.replace(argv=(), status=None)
    alone = [(one, each_alone.replace(text=one.text, begun=one.is_begun)) for one in found]
    most = Decision.PROMPT if keyed else Decision.ALLOW
    each = ((_decided(one), one.begun) for _, one in alone)
    runs = all(
        d.ruling.decision <= most and not (d.use.hooks_off() if begun else d.use).refusal
        for d, begun in each
    )
    return (alone, keyed) if runs and len(alone) > 1 else ([], False)


def _run_parts(
    parts: "list[Part]", whole: Decided, status: str | None, *, approved: bool = False
) -> int:
    """Run them as a shell does; the exit code of the last that ran, which `status` is told.

    Each is decided about when its turn comes: what ran before may have changed what it does.
    """
    code, ran = 0, True
    for part, options in parts:
        ran = part.runs_after(code, ran=ran)
        if ran:
            code = _go_on(_decided(options), options, approved=approved or part.is_step)
        if code in ENDING:
            break
    backend = whole.settings.backend
    report(status, {"exit": code, "timed_out": code == ExitCode.TIMED_OUT, "backend": backend})
    return code


def _ready(
    decided: Decided, options: RunOptions, *, interactive: bool, approved: bool = False
) -> Ready:
    """The plan; what the user approved is open in it. `interactive`: the user can be asked."""
    from execpolicy.commands.run_network import Ways
    from execpolicy.sandbox import box
    from execpolicy.sandbox.scan.offline import is_offline

    engine, request, use = decided.engine, decided.request, decided.use
    approved |= _was_approved(decided.verdict)
    ways = Ways(
        engine,
        request,
        approved,
        writes=options.rules is None,
        person=interactive,
        unknown=options.confined and runs_unknown(decided.verdict),
    )
    words = box.shell_words(options.text) if options.text is not None else options.argv
    from execpolicy.sandbox.scan.paths_named import paths_bound, paths_named, paths_read

    opened = (paths_named if approved else paths_bound)(request, engine.snapshot)
    here = options.cwd or "/"
    wanted = box.Wanted(
        use,
        tuple(words),
        here,
        approved=tuple(opened),
        read=tuple(paths_read(request, engine.snapshot, decided.verdict)),
        settings=decided.settings,
        offline=is_offline(decided.verdict),
    )
    job = box.prepared(engine.snapshot, wanted)
    from execpolicy.engine.rules.credentials import may_use_key

    if not may_use_key(decided.verdict, engine.snapshot):
        return Ready(job, ways)
    from execpolicy.commands.run_keys import KeyAsked, key_of

    of = request, decided.verdict, engine.snapshot, os.environ
    asked = KeyAsked(*of, approved, begun=options.begun)
    off = use.hooks_off() if options.begun else use
    keyed = job if off == use else box.prepared(engine.snapshot, wanted.replace(use=off))
    key = key_of(asked, keyed)
    job = keyed if key is not None and key.opening is not None else job
    return Ready(key.applied(job) if key is not None else job, ways, key)


def _run(decided: Decided, ready: Ready, options: RunOptions) -> int:
    """Run what was decided about; then ask about, or name, the hosts that it missed."""
    from execpolicy.sandbox.box import connected

    snapshot = decided.engine.snapshot
    session = leader(options.session)
    if ready.key is not None and ready.key.opening is not None:
        from execpolicy.commands.run_keys import with_way_of_key

        job = with_way_of_key(ready.job, ready.key.opening, snapshot)
    else:
        job = connected(ready.job, snapshot, ready.ways.way, session)
    from execpolicy.commands import snapshots

    snapped = _snapped(decided, job, options, session)
    if decided.ruling.undo:
        reason = snapshots.unheld(decided.verdict, ready.job.plan.mounts, snapped)
        if reason:
            snapped.forget()
            return _go_on(decided.replace(ruling=Ruling(Decision.PROMPT, reason)), options)

    def needed() -> "tuple[GitUse, tuple[Approved, ...]]":
        from execpolicy.sandbox.scan.paths_named import paths_named

        return decided.use, paths_named(decided.request, snapshot)

    if ready.key is None:
        ended = go_alone(runnable(job), options.status, needed)
    else:
        from execpolicy.commands.run_keys import run_with_key

        ended = run_with_key(runnable(job), ready.key, _again(options), options.status, needed)
    ready.ways.tell()
    snapshots.after(snapped)
    return ended


def _again(options: RunOptions) -> list[str]:
    """The words that give another text the same policy."""
    given = [word for one in options.rules or () for word in ("--rules", one)]
    given += ["--confined"] if options.confined else []
    given += [] if options.builtin else ["--no-builtin"]
    given += ["--session", options.session] if options.session else []
    return given


def _snapped(decided: Decided, job: "Job", options: RunOptions, session: str) -> "Snapped":
    """The snapshot before a run that may change the project, if there is one."""
    from execpolicy.commands import snapshots

    if not changes(decided.verdict, job):
        return snapshots.Snapped()
    call = snapshots.call_of(options.argv, options.text, options.cwd or "/", session)
    call = call.replace(needed=decided.ruling.undo, full=snapshots.names_generated(decided.verdict))
    return snapshots.of_run(options.cwd, call, decided.engine.snapshot)


def _asked(decided: Decided, options: RunOptions) -> "PromptAnswer":
    """What the user at the terminal says."""
    from execpolicy.commands.asking import PromptAnswer, ask
    from execpolicy.commands.run_keys import only_outside

    walls = decided.settings.backend == "bubblewrap"
    why = walls and only_outside(decided.request, decided.verdict, decided.engine.snapshot)
    if why:
        said = f"the user has to be asked: {decided.ruling.reason}; {why}"
        return PromptAnswer(allowed=False, answered=False, why=said)

    def longer() -> "Answers":
        from execpolicy.commands.run_answers import Answers

        writes = options.rules is None and options.builtin
        return Answers(decided.engine, decided.request, writes=writes)

    return ask(decided.verdict, decided.ruling.reason, sys.argv[1:], longer)


def _print(ready: Ready, options: RunOptions) -> int:
    from execpolicy.commands.render.plan_text import as_json, as_text

    plan, key = ready.job.plan, ready.key.summary if ready.key is not None else ""
    sys.stdout.write(as_json(plan, key) if options.format == "json" else as_text(plan, key))
    return ExitCode.ALLOW
