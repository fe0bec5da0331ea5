"""One command of a wrapped session: decided about, refused or asked about, and run."""

import os
import shlex
from functools import partial
from shutil import which

import execpolicy.engine.standing  # these are here because every command needs them
import execpolicy.sandbox.again.whole
import execpolicy.sandbox.backends.choose
import execpolicy.sandbox.backends.inotify
import execpolicy.sandbox.leftovers.guarded  # noqa: F401
from execpolicy.commands import own_files, snapshots
from execpolicy.commands.exit_codes import ENDING, ExitCode, say
from execpolicy.commands.run_job import Runnable, changes, go, report_refusal
from execpolicy.commands.run_keys import only_outside
from execpolicy.commands.wrap_apart import Apart
from execpolicy.commands.wrap_keys import WrapCall, key_of_call, own_variables, parts_with_key
from execpolicy.commands.wrap_lifted import LiftedCall, Outside, lifted_call, may_be_lifted
from execpolicy.commands.wrap_own import answered
from execpolicy.engine.rules.credentials import may_use_key
from execpolicy.model.approval import Confinement
from execpolicy.model.confinement import settle
from execpolicy.model.decision import Decision
from execpolicy.model.errors import RequestError, printable
from execpolicy.model.operation import Request
from execpolicy.model.scope import only_written
from execpolicy.proxy.variables import TABLE
from execpolicy.sandbox import running
from execpolicy.sandbox.again.prepared import prepared
from execpolicy.sandbox.api import Sandbox
from execpolicy.sandbox.backends.bubblewrap import rendered
from execpolicy.sandbox.backends.start.prepared import find
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.job import in_session
from execpolicy.sandbox.leftovers.journal import text_of
from execpolicy.sandbox.ruling import Ruling, ruling_apart
from execpolicy.sandbox.scan.paths_named import paths_bound, paths_named
from execpolicy.sandbox.walls import Wall, wall_at
from execpolicy.support import processes
from execpolicy.support.path_match import below
from execpolicy.support.record import Value
from execpolicy.wrap.command_sandbox import Ends, InSession
from execpolicy.wrap.outside.browser import Browser, address_of
from execpolicy.wrap.outside.servers import UserServers
from execpolicy.wrap.own_requests import own_request
from execpolicy.wrap.shell_decision import ShellAction, action, requested, set_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from typing import NoReturn

    from execpolicy.commands.wrap_keys import WrapKey
    from execpolicy.engine.engine import Engine
    from execpolicy.model.scope import Scope
    from execpolicy.sandbox.api import Attempt
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.walls import Mount
    from execpolicy.shell.parts import TextPart
    from execpolicy.wrap.home.plan import HomeBind
    from execpolicy.wrap.kept.keeper import SnapshotKeeper
    from execpolicy.wrap.namespaces import Namespaces
    from execpolicy.wrap.protocol import CommandRequest
    from execpolicy.wrap.shell_decision import ShellRequest, WrappedAgent
else:
    import _signal

NOT_BEGUN = 126
"""What a shell says of what it cannot execute (POSIX, 2.8.2)."""
SECONDS = 10.0
"""How long deciding may take, before anything runs."""
PROXIES = frozenset(name for name, *_ in TABLE)
"""Variables that name a proxy: each sandbox has its own."""
OWN = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")


class _Turn(Value):
    """A call when its turn comes: in which sandbox it runs, what was decided about it, and where
    its output and its end go. `approved`: the user approved what it is of. `lifted` is what the
    user approved to run outside of every sandbox."""

    sandbox: Sandbox
    attempt: "Attempt"
    call: WrapCall
    ends: Ends
    approved: bool = False
    lifted: LiftedCall | None = None


class Commands:
    """What runs the commands of one session, which lasts as long as the process `leader`.

    `agent` decides about its calls. `binds` are the parts of the agent's state that its shell
    reads, each with its place outside: the agent's own calls write them. `scope` is where it works,
    `written` what it writes, beside what commands do. `browser` opens addresses for it,
    `servers` are the MCP servers that the user gave it.
    """

    def __init__(
        self,
        engine: "Engine",
        namespaces: "Namespaces",
        leader: int,
        agent: "WrappedAgent",
        binds: "tuple[HomeBind, ...]" = (),
        *,
        scope: "Scope | None" = None,
        written: "tuple[Mount, ...]" = (),
        browser: Browser | None = None,
        servers: UserServers | None = None,
    ) -> None:
        self.browser, self.servers = browser, servers
        self.engine, self.namespaces, self.leader = engine, namespaces, leader
        self.agent, self.root, self.binds = agent, agent.root or "/", binds
        self.scope, self.split = scope, only_written(scope) if scope else None
        self.keeper: SnapshotKeeper | None = None
        self.at_start, self.written = dict(os.environ), written
        self.of_user = {n: v for n, v in os.environ.items() if is_of_user(n)}

    def warm(self) -> None:
        """Load what commands need, and decide about one that does nothing, for those that come."""
        self.keeper = snapshots.keeper(self.root, self.engine.snapshot, self.namespaces)
        sandbox = Sandbox(self.engine, environment=dict(os.environ), session=self.leader)
        for words in (("bash", "-c", "true; ls | wc -l"), ("git", "status"), ("ls", "-l")):
            request = Request(argv=words, cwd=self.root, root=self.root)
            attempt = sandbox.requested(request)
            job = sandbox.job(attempt, None, (), self.root)
            text_of(job)
            rendered(job.plan, find(), joined=True)

    def execute(self, request: "CommandRequest", ends: Ends) -> int:
        """Decide about a command and run it; its exit code, or one of `run`'s own."""
        words = (request.path, *request.argv[1:])
        if self.browser is not None and (address := address_of(words)) is not None:
            return self.browser.open(address, request, ends, self.engine.snapshot.policy)
        try:
            with _TimeLimit(ends):
                asked = requested(self.agent, words, request.cwd)
                environment = self.environment(request, asked)
                sandbox = self._sandbox(environment)
                if own := own_request(words, asked.call):
                    return answered(own, request.cwd, sandbox, self._known)
                about = asked.request.replace(scope=self.scope)
                if asked.call is None:
                    about = about.replace(argv=_words(request, environment))
                attempt = sandbox.requested(about)
            code = self._decided(_Turn(sandbox, attempt, WrapCall(request, asked), ends))
        except NoSandboxError as error:
            return report_refusal(None, ExitCode.NO_SANDBOX, str(error))
        except RequestError as error:
            why = f"the user has to be asked: it cannot be decided about: {error}"
            return report_refusal(None, ExitCode.NEEDS_USER, why)
        call = asked.call
        if asked.own and call is not None and call.made:
            self.agent.snapshots.wrote(call.made, next(iter(call.writes), ""))
        return code

    def environment(self, request: "CommandRequest", asked: "ShellRequest") -> dict[str, str]:
        """The variables of a shim, with what the agent's own text sets, but for its keys, its
        proxy and its browser. Those that are the user's own are as when the session began."""
        given = dict(request.environment)
        given |= set_by(asked, given, self.engine.snapshot.variables.secret)
        left = {*self.agent.entry.key_variables, *PROXIES, "BROWSER"}
        kept = {n: v for n, v in given.items() if n not in left and not is_of_user(n)}
        return kept | self.of_user

    def _sandbox(self, environment: dict[str, str]) -> Sandbox:
        """The sandbox of a command, in this process, which is there for it alone meanwhile."""
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        os.environ.update({n: v for n, v in environment.items() if os.environ.get(n) != v})
        session = processes.name_of(self.leader)
        self.engine = self.engine.anew()
        self.engine.approvals = own_files.settled(lambda: session)
        return Sandbox(
            self.engine,
            environment=environment,
            session=self.leader,
            snapshots=True,
            split=self.split,
            prepare=partial(prepared, session),
        )

    def _decided(self, turn: _Turn) -> int:
        """Refuse, ask or run, as the decision says."""
        attempt, call = turn.attempt, turn.call
        ruled, becomes = attempt.ruling, action(attempt, call.asked.own)
        parts = parts_with_key(attempt, call, self.agent)
        if parts and becomes is not ShellAction.REFUSE:
            settings = settle(attempt.snapshot.policy.sandbox)
            confined = turn.sandbox.confined
            ruled = ruling_apart(attempt.verdict, settings, confined, attempt.use)
            becomes = action(attempt.replace(ruling=ruled), False)
        if becomes is ShellAction.REFUSE:
            return report_refusal(None, ExitCode.REFUSED, f"forbidden: {ruled.reason}")
        lifted = self._lifted(turn) if not parts else None
        if lifted is not None and self._is_settled(lifted.attempt, Confinement.LIFTED):
            return self._passed(turn.replace(lifted=lifted))
        if becomes is ShellAction.PENDING and not turn.approved:
            asks = lifted.attempt if lifted is not None and lifted.first else None
            if asks is not None or not self._is_settled(attempt):
                where = self._left(asks, Confinement.LIFTED) if asks else self._left(attempt)
                why = f"the user has to be asked: {ruled.reason}{where}"
                return report_refusal(None, ExitCode.NEEDS_USER, why)
            turn = turn.replace(approved=True)
        return self._in_parts(turn, parts) if parts else self._passed(turn)

    def _passed(self, turn: _Turn) -> int:
        """Run what passed."""
        attempt, own, request = turn.attempt, turn.call.asked.own, turn.call.request
        job = self._job(turn.sandbox, turn)
        if own:  # it reaches nothing, and what it writes down holds for commands to come
            left = tuple(one for one in job.plan.environment if one[0] not in PROXIES)
            job = job.replace(plan=job.plan.replace(environment=left))
        elif turn.call.asked.call is None and self.servers is not None:
            job = _given(job, self.servers.variables(request), turn)
        if not self._is_shown(request.cwd, job):
            why = f"commands do not see `{printable(request.cwd, 200)}`, and do not begin there"
            return report_refusal(None, NOT_BEGUN, why)
        snapped = self._snapped(attempt, job)
        if attempt.ruling.undo and turn.lifted is None:
            reason = snapshots.unheld(attempt.verdict, job.plan.mounts, snapped)
            if reason:
                asks = attempt.replace(ruling=Ruling(Decision.PROMPT, reason))
                return self._decided(turn.replace(attempt=asks, approved=False))
        keyed = not own and may_use_key(attempt.verdict, attempt.snapshot)
        key = self._key(turn) if keyed and turn.lifted is None else None
        opened = turn.lifted or (key if key is not None and key.job is not None else None)
        if opened is not None:
            code = self._run_with_key(turn, opened)
        else:
            code = self._run(job, turn)
            if code:
                self._tell_failed(turn, key)
        snapshots.after(snapped)
        return code

    def _key(self, turn: _Turn) -> "WrapKey | None":
        """The key of a command that may run, in a sandbox that is of no session."""
        environment = own_variables(os.environ, self.at_start)
        sandbox = Sandbox(self.engine, environment=environment, split=self.split)
        off = turn.attempt.replace(use=turn.attempt.use.hooks_off())
        make = partial(self._job, sandbox, turn.replace(attempt=off) if turn.call.begun else turn)
        given = {**self.at_start, "PATH": os.environ.get("PATH", "")}
        how = {"approved": turn.approved, "begun": turn.call.begun}
        return key_of_call(turn.attempt, make, given, self.written, **how)

    def _tell_failed(self, turn: _Turn, key: "WrapKey | None") -> None:
        """Say why no key was opened for what failed, and offer what is left."""
        if key is not None:
            key.tell()
        allowed = turn.approved or turn.attempt.verdict.decision is Decision.ALLOW
        lifted = self._lifted(turn) if allowed else None
        if lifted is not None:
            why = "nothing opens for it inside" if lifted.first else "it may need a key of yours"
            say(f"{why}{self._left(lifted.attempt, Confinement.LIFTED)}")

    def _lifted(self, turn: _Turn) -> LiftedCall | None:
        """The call as it would run outside, if nothing else would do."""
        attempt = turn.attempt
        if turn.call.asked.own or not may_be_lifted(attempt.verdict, attempt.snapshot):
            return None
        job = partial(self._job, turn.sandbox, turn)
        return lifted_call(attempt, turn.sandbox, Outside(self.at_start, job, self.written))

    def _run_with_key(self, turn: _Turn, key: "WrapKey | LiftedCall") -> int:
        """Run it with what reads its output, and the agent's own words after it."""
        call, turn = turn.call, turn.replace(approved=False, lifted=None)

        def reader(*pipe: int) -> "Callable[[], int]":
            rest = call.script(key.key.rest, key.key.cwd)
            one = Apart(lambda told: self._part(turn, rest, told), pipe)
            return lambda: one.code(turn.ends)

        code = key.run(call.request, turn.ends, reader)
        moved = key.key.changes and call.asked.call is not None and not code
        after = call.part(self.agent, f"cd {shlex.quote(key.key.cwd)}") if moved else None
        if after is not None:  # the agent's own words note where the command ended
            self._part(turn, after, turn.ends)
        return code

    def _in_parts(self, turn: _Turn, parts: "tuple[tuple[TextPart, WrapCall], ...]") -> int:
        """Run the parts as a shell does, each in a process of its own; the code of the last."""
        code, ran, running = 0, True, []
        for part, one in parts:
            ran = part.runs_after(code, ran=ran)
            if ran:
                passed = turn.replace(approved=turn.approved or part.is_step)
                running.append(Apart(partial(self._part, passed, one)))
                code = running[-1].code(turn.ends)
            if code in ENDING:
                break
        turn.ends.ended(code)
        for each in running:
            each.outlast()
        return code

    def _part(self, whole: _Turn, call: WrapCall, ends: Ends) -> int:
        """Decide about a part when its turn comes, and run it."""
        with _TimeLimit(ends):
            attempt = whole.sandbox.requested(call.about(whole.attempt.request))
        return self._decided(whole.replace(attempt=attempt, call=call, ends=ends))

    def _is_shown(self, cwd: str, job: "Job") -> bool:
        """Whether a command can begin in a directory, which the agent may see and it may not."""
        wall = wall_at(cwd, job.plan.mounts) if job.has_walls else Wall.READ
        shown = [*(mount.path for mount in job.plan.mounts), *(one.target for one in self.binds)]
        on_the_way = wall is Wall.COVERED and any(below(path, cwd) for path in shown)
        bound = any(below(cwd, one.target) for one in self.binds)
        return wall < Wall.COVERED or on_the_way or bound

    def _snapped(self, attempt: "Attempt", job: "Job") -> snapshots.Snapped:
        """The snapshot before a command that may change the project, if there is one."""
        if not changes(attempt.verdict, job):
            return snapshots.Snapped()
        asked, session = attempt.request, processes.name_of(self.leader)
        call = snapshots.call_of(asked.argv or (), asked.text, asked.cwd or "/", session)
        full = snapshots.names_generated(attempt.verdict)
        name, needed = self.agent.entry.name, attempt.ruling.undo
        call = call.replace(agent=name, needed=needed, full=full)
        if self.keeper is not None:
            try:
                return snapshots.kept(self.keeper, call)
            except OSError:  # it has ended
                self.keeper = None
        return snapshots.of_run(self.root, call, attempt.snapshot)

    def _is_settled(self, attempt: "Attempt", confinement: Confinement = Confinement.NONE) -> bool:
        """Whether the user lets it pass, which is spent by that."""
        from execpolicy.commands.remember import remembered

        host, request = self.agent.entry.name, self._known(attempt.request)
        settled = remembered(host, request.session, spend=True, confinement=confinement)
        at = attempt.verdict, attempt.snapshot, self.engine.resolver
        return settled(request, *at).decision is Decision.ALLOW

    def _left(self, attempt: "Attempt", confinement: Confinement = Confinement.NONE) -> str:
        """What is said of the question that waits."""
        from execpolicy.commands.leaving import left

        if confinement is Confinement.NONE and (
            why := only_outside(attempt.request, attempt.verdict, attempt.snapshot)
        ):
            return f"; {why}"
        host, request = self.agent.entry.name, self._known(attempt.request)
        waiting = left(self.engine, request, attempt.verdict, host, confinement=confinement)
        if waiting is None:
            return ""
        code, passes = waiting.question.code, "lets it pass once"
        if waiting.outcome:
            return f" (the answer to {code} was {waiting.outcome})"
        if confinement is Confinement.LIFTED:
            passes = "lets it run once, outside of every sandbox"
        return f"; `execpolicy approve {code}` {passes}"

    def _known(self, request: Request) -> Request:
        """A request of this session, as it is asked about and answered."""
        session = f"wrap-{processes.name_of(self.leader)}"
        return request.replace(session=session, agent=self.agent.entry.name, root=self.root)

    def _job(self, sandbox: Sandbox, turn: _Turn) -> "Job":
        """The command with its plan; what the user approved is open in it."""
        attempt, request = turn.attempt, turn.call.request
        opened = (paths_named if turn.approved else paths_bound)(attempt.request, attempt.snapshot)
        job = sandbox.job(attempt, None, opened, self.root)
        words = (attempt.request.argv or (request.path,))[:1] + request.argv[1:]
        return job.replace(plan=job.plan.replace(cwd=request.cwd, argv=words))

    def _run(self, job: "Job", turn: _Turn) -> int:
        attempt, own, request = turn.attempt, turn.call.asked.own, turn.call.request
        alone = job.gate is not None and not job.plan.session
        if not job.plan.session:
            job = in_session(job, processes.name_of(self.leader))
        backend = InSession(
            self.namespaces,
            request.descriptors,
            turn.ends,
            alone=alone,
            umask=request.umask,
            limits=request.limits,
            binds=[(one.source, one.target, own) for one in self.binds],
        )
        plan = job.plan

        def run() -> object:
            return running.run(job, forward=False, backend=backend)

        def whole() -> "Job":
            return job

        what = Runnable(plan.argv, plan.environment, plan.settings, run, whole)  # type: ignore[arg-type]
        return go(what, None, lambda: (attempt.use, paths_named(attempt.request, attempt.snapshot)))


def _given(job: "Job", more: tuple[tuple[str, str], ...], turn: _Turn) -> "Job":
    """The job with these variables, if what has them may run as it is."""
    if not more or not (turn.approved or turn.attempt.verdict.decision is Decision.ALLOW):
        if more:
            say("the variables of your configuration are left out: let a rule allow this server")
        return job
    environment = {**dict(job.plan.environment), **dict(more)}
    return job.replace(plan=job.plan.replace(environment=tuple(sorted(environment.items()))))


class _TimeLimit:
    """While it is entered, the command ends, and this process, where it is not over in time."""

    def __init__(self, ends: Ends) -> None:
        self._ends = ends

    def __enter__(self) -> None:
        _signal.signal(_signal.SIGALRM, self._late)
        _signal.setitimer(_signal.ITIMER_REAL, SECONDS)

    def __exit__(self, *_error: object) -> None:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)

    def _late(self, _number: int, _frame: object) -> "NoReturn":
        why = f"the user has to be asked: it was not decided about within {SECONDS:g} s"
        self._ends.ended(report_refusal(None, ExitCode.NEEDS_USER, why))
        os._exit(0)


def is_of_user(name: str) -> bool:
    """Whether a variable says where this user's own things are, which is not the agent's to say."""
    return name in OWN or name.startswith("EXECPOLICY_")


def _words(request: "CommandRequest", environment: dict[str, str]) -> tuple[str, ...]:
    """The words of the command: its program by its name where PATH leads to it, or by its path."""
    name = os.path.basename(request.path)
    found = which(name, path=environment.get("PATH", os.defpath))
    same = found is not None and os.path.realpath(found) == os.path.realpath(request.path)
    return (name if same else request.path, *request.argv[1:])
