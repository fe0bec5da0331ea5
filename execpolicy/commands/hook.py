"""`execpolicy hook`: answer a coding agent's host about one call, in the host's own form.

Nothing but the answer is ever written to stdout. Where there is no decision the host is made to
ask, or to refuse where it cannot be or the setting `undecided` says so; nothing is granted then. A
watchdog answers when the time is over: a host that waits too long goes on without an answer.
"""

import os
import sys
import time

from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.headless import is_headless
from execpolicy.commands.unfinished import finish
from execpolicy.hosts.payloads import words
from execpolicy.hosts.payloads.payload import MAX_BYTES, hint, parse
from execpolicy.hosts.payloads.protocol import UNATTENDED, Agent, PayloadError, Reply, ToolCall
from execpolicy.hosts.protocols import AGENTS, BRIEFED, DEFERRING, UNHEEDED, load, recognised
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError, UsageError, printable
from execpolicy.model.operation import Request
from execpolicy.support import directories, startup, watching
from execpolicy.support.processes import Lineage

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Sequence

    from execpolicy.commands.answering import HookAnswer
    from execpolicy.commands.arguments import Syntax
    from execpolicy.commands.snapshots import Snapped
    from execpolicy.engine.engine import Approvals, Engine
    from execpolicy.hosts.payloads.protocol import Payload
    from execpolicy.model.verdict import Verdict
    from execpolicy.store.ledger.ledger import Waiting
    from execpolicy.store.sources.settings import Settings
else:
    import _signal as signal  # `signal` itself imports `enum`


def syntax() -> "Syntax":
    """The command line. Hosts name themselves, and need not wait for it."""
    from execpolicy.commands.arguments import Kind, Syntax, Takes

    return Syntax("hook", (), Takes("host", Kind.WORD, tuple(AGENTS)), most=1)


SECONDS = 1.7
LOADING_SECONDS = 60.0
SNAPSHOT_SECONDS = 0.6
"""How long a hook waits for a snapshot. What is not read by then cannot be undone."""
NEEDED_SECONDS = 4.0
"""The same where the call passes for that alone. Hosts wait 10 s at least."""

_BINDING = ("agent_id", "agent_type", "agent_name", "scope")
"""Fields of a payload that name a sub-agent, or may bind a request to a folder."""

_ROOTS = {
    "claude": "CLAUDE_PROJECT_DIR",
    "droid": "FACTORY_PROJECT_DIR",
    "gemini": "GEMINI_PROJECT_DIR",
    "qwen": "QWEN_PROJECT_DIR",
}


def main(arguments: "Sequence[str]") -> ExitCode:
    """Answer one call. Raises `UsageError` only for a command line that the user typed."""
    name = arguments[0] if arguments else None
    if arguments and (len(arguments) > 1 or name not in AGENTS):
        from execpolicy.commands import arguments as words

        name = next(iter(words.parse(syntax(), arguments).operands), None)
    if sys.stdin.isatty():
        raise UsageError("a hook reads the host's JSON on stdin (`execpolicy hook --help`)")
    hook = Hook(name)
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        _watch(hook)
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        reply = _served(name, data) or hook.answer(data)
    finally:
        sys.stdout = stdout
        signal.setitimer(signal.ITIMER_REAL, 0)
    stdout.write(reply.stdout)
    sys.stderr.write(reply.stderr)
    return ExitCode(reply.code)


def _served(name: str | None, data: bytes) -> Reply | None:
    """The reply of a server of the user's, if one runs; this process decides where none answers."""
    if name is None or not os.path.lexists(directories.hook_socket()):
        return None
    from execpolicy.serve.client import ask

    return ask(name, data)


class Hook:
    """One call of one host, and as much as is known about it."""

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.call = ToolCall()
        self.loading = False
        self.headless = False
        self._waited = False
        self._began = time.monotonic()
        self._settings: Settings | None = None
        self.payload: Payload = {}
        self._asked: tuple[Engine, Request] | None = None
        self._above: Lineage | None = None

    @property
    def settings(self) -> "Settings":
        """The user's settings, read when they are first asked for."""
        if self._settings is None:
            from execpolicy.store.sources.settings import load as load_settings

            self._settings = load_settings()
        return self._settings

    @settings.setter
    def settings(self, settings: "Settings") -> None:
        """Put those in place that the engine was made with."""
        self._settings = settings

    @property
    def agent(self) -> Agent:
        """The host's module. A host that is not known yet gets the answers of Claude Code."""
        return load(self.name or "claude")

    def answer(self, data: bytes) -> Reply:
        """The reply to a payload, whatever is wrong with it."""
        try:
            self.payload = payload = parse(data)
            if self.name is None:
                self.name = recognised(payload)
            self.call = self.agent.read(payload)
            if self.call.request is None:
                return self._briefed()
            return self._answered(self.call.request)
        except ExecPolicyError as error:
            noun = "the payload of the host: " if isinstance(error, PayloadError) else ""
            return self.undecided(f"{noun}{error}")
        except Exception as error:
            return self.undecided(f"{type(error).__name__}: {error}")

    def _briefed(self) -> Reply:
        """The reply to an event that is not a call: a host that begins a session is told its
        rules, of any other nothing is said."""
        event = BRIEFED.get(self.name or "claude")
        if event is None or self.payload.get("hook_event_name") != event:
            return Reply()
        from execpolicy.commands.brief import briefed

        return briefed(self.name or "claude", event, hint(self.payload, "cwd") or os.getcwd())

    def _answered(self, request: Request) -> Reply:
        """The reply to a call, at once where it was given before and all is as it was."""
        self._above = above = Lineage(os.getppid())
        self.headless = is_headless(self.name or "claude", self.agent.HEADLESS, above)
        if any(self.payload.get(name) for name in _BINDING):
            startup.ahead("decide")
            return self.decided()
        asked = (request.text, *(request.argv or ()))
        words = ("hook", self.name or "", repr(self.call), str(self.headless))
        return self.once(words, [text for text in asked if text])

    def once(self, words: "Sequence[str]", asked: "Sequence[str]") -> Reply:
        """The reply to what these words say, by an answer that was kept where there is one."""
        from execpolicy.commands import repeat

        if repeat.single:
            return repeat.reply(words, asked, self.decided)
        startup.ahead("decide")
        return self.decided()

    def decided(self) -> Reply:
        """The reply, decided anew."""
        return self._reply(self._verdict())

    def _verdict(self) -> "Verdict":
        self.loading = True
        self.call = placed(self.call, os.environ.get(_ROOTS.get(self.name or "", ""), ""))
        from execpolicy.commands.remember import remembered

        approvals = remembered(self.name or "", spend=True, child=self._child()[0])
        engine = self.engine(self.root(), approvals)
        self.loading = False
        self.settings = engine.store.settings
        assert self.call.request is not None  # noqa: S101
        finish()
        self._tell_loaded(engine)
        asked = self._bound(self._rooted(self.call.request, engine), engine)
        self._asked = engine, asked
        return self.decide(engine, asked)

    def engine(self, root: str | None, approvals: "Approvals") -> "Engine":
        """The policy of the project that the call is about."""
        from execpolicy.engine.engine import Engine

        return Engine.load(cwd=root, audit=True, approvals=approvals)

    def decide(self, engine: "Engine", request: Request) -> "Verdict":
        """The verdict about the call."""
        return engine.decide(request)

    def tell(self, why: str) -> None:
        """Say on stderr why there is no decision."""
        try:
            os.write(2, stderr_line(why).encode(errors="backslashreplace"))
        except OSError:
            return

    def mark(self) -> None:
        """Make what the host starts from now on known as started by it."""
        from execpolicy.commands.ancestors import mark

        with watching.Aside():
            mark(self._above or Lineage(os.getppid()))

    def _child(self) -> tuple[str, str]:
        """The sub-agent that makes the call, by its id and its kind; empty for the agent itself."""
        kind = hint(self.payload, "agent_type", "agent_name") or ""
        return hint(self.payload, "agent_id") or "", kind

    def _tell_loaded(self, engine: "Engine") -> None:
        """Say which code of the project the loader runs: nothing can be done about it from here."""
        request = self.call.request
        root = request and engine.resolver.root(request.root, request.cwd)
        steering = engine.resolver.steering(root.path) if root else ()
        if steering:
            from execpolicy.places.steering import loaded

            for each in loaded(steering):
                self.tell(each)

    def _bound(self, request: Request, engine: "Engine") -> Request:
        """The request with the scope of a sub-agent, where it has one."""
        bound = any(self.payload.get(name) for name in _BINDING)
        if not (bound or os.environ.get("EXECPOLICY_SCOPE")):
            return request
        from execpolicy.commands.scoping import scoped

        return scoped(request, self.payload, engine.resolver)

    def _rooted(self, request: Request, engine: "Engine") -> Request:
        """The request with the root of its session, where the host names none."""
        if request.root or not request.session:
            return request
        found = engine.resolver.root(None, request.cwd)
        if found is None:
            return request
        from execpolicy.store.sessions import root

        return request.replace(root=root(self.name or "", request.session, found.path))

    def root(self) -> str | None:
        """Whose project rules hold: the session's, also after the agent went somewhere else."""
        given = self.call.request.root if self.call.request else None
        here = self.call.root
        if given and not f"{here}/".startswith(f"{given}/"):
            return given
        return here if here and here.startswith("/") else None

    def _reply(self, verdict: "Verdict") -> Reply:
        if verdict.decision is Decision.PROMPT:
            startup.ahead("asks")
            self.mark()
        if verdict.floor:
            self.tell(verdict.floor)
        said = self.answer_to(verdict)
        reason = words.reason(verdict)
        if said.refused:
            return self._refused(verdict, reason)
        question = words.full_question(verdict) if said.decision is Decision.PROMPT else ""
        if said.decision is not Decision.FORBIDDEN and (said.undo or _destroys(verdict)):
            snapped = self._snapped(needed=said.undo)
            if said.undo and not snapped.whole:
                return self._refused(verdict, reason)
            if question and snapped.number:
                question += (
                    f"\nundo: `execpolicy undo {snapped.number}` brings back what it removes"
                )
        call = self.call.replace(soft=said.soft, question=question)
        return self.agent.reply(call, said.decision, reason)

    def _snapped(self, *, needed: bool) -> "Snapped":
        """Take a snapshot before a call that destroys; `needed`: the host's sandbox lets it pass
        for that."""
        assert self._asked is not None  # noqa: S101
        engine, request = self._asked
        found = engine.resolver.root(request.root, request.cwd)
        from execpolicy.commands import snapshots

        if found is None or not found.project:
            return snapshots.Snapped()
        watching.here.never_again = True
        from execpolicy.commands.ancestors import session_leader

        text, argv = request.text, request.argv or ()
        call = snapshots.call_of(argv, text, request.cwd or found.path, session_leader())
        call = call.replace(agent=self.name or "", needed=needed)
        is_generated = snapshots.generated(engine.snapshot, found.path)
        if needed and signal.getitimer(signal.ITIMER_REAL)[0]:
            signal.setitimer(signal.ITIMER_REAL, NEEDED_SECONDS + SECONDS)
        seconds = NEEDED_SECONDS if needed else SNAPSHOT_SECONDS
        with watching.Aside():
            return snapshots.before(found.path, call, is_generated, seconds)

    def _refused(self, verdict: "Verdict", reason: str) -> Reply:
        """The answer to a question that cannot be put here: its code is for the user."""
        from execpolicy.commands.leaving import left

        waiting = None
        if self._asked is not None and not verdict.floor:
            waiting = left(*self._asked, verdict, self.name or "claude", self._child())
        if waiting is not None and self.settings.wait_seconds:
            waiting = self._awaited(waiting)
            if waiting.outcome == "allowed" and not self._waited:
                self._waited = True
                return self.decided()
        if waiting is not None and waiting.outcome:
            said = words.answered(waiting.question.code, waiting.outcome, waiting.feedback)
            return self.agent.reply(self.call, Decision.FORBIDDEN, said)
        code = waiting.question.code if waiting is not None else ""
        refusal = words.unasked(reason, code, child=bool(self._child()[0]))
        if code and self.headless and self.name in DEFERRING and self.agent.asks(self.call):
            call = self.call.replace(deferred=True, question="")
            return self.agent.reply(call, Decision.PROMPT, refusal)
        return self.agent.reply(self.call, Decision.FORBIDDEN, refusal)

    def _awaited(self, waiting: "Waiting") -> "Waiting":
        """The question once it is answered, or when the host would not wait any longer."""
        from execpolicy.commands.waiting import answered

        root = self._asked[1].root or self._asked[1].cwd if self._asked is not None else None
        return answered(waiting, self.name or "claude", root, self._began, self.settings)

    def answer_to(self, verdict: "Verdict") -> "HookAnswer":
        """What the host is told about a call with this verdict."""
        from execpolicy.commands.answering import HookAnswer, answer, consult

        if verdict.floor and self.settings.undecided == "deny":
            return HookAnswer(Decision.FORBIDDEN, "the policy is broken")
        host = consult(self.name or "claude", self.call)
        heeded = self.name not in UNHEEDED
        call, asks = self.call, self.agent.asks(self.call)
        if self.headless:
            call = call.replace(mode=UNATTENDED)
        return answer(verdict, call, asks, heeded, host)

    def undecided(self, why: str) -> Reply:
        """The answer where there is no verdict: never a grant."""
        reason = words.undecided(why)
        self.tell(why)
        self._log(reason)
        asks = self.agent.asks(self.call) and self.call.mode != UNATTENDED
        if asks and self.settings.undecided != "deny":
            return self.agent.reply(self.call, Decision.PROMPT, reason)
        refusal = reason if asks else words.unasked(reason)
        return self.agent.reply(self.call, Decision.FORBIDDEN, refusal)

    def _log(self, reason: str) -> None:
        """A line of the audit log says so, too."""
        if self.settings.audit:
            from execpolicy.engine.audit import record_by_settings
            from execpolicy.model.verdict import Verdict

            request = self.call.request or Request(text="", agent=self.name)
            record_by_settings(request, Verdict(Decision.PROMPT, floor=reason), self.settings)


def placed(call: ToolCall, variable: str = "") -> ToolCall:
    """The call with the directory that its relative paths start from, and its session's root.

    `variable` is what the host's own variable says about its project. A payload that tells no
    directory means that one, else the one in which the hook runs.
    """
    project = variable.rstrip("/") if variable.startswith("/") else ""
    base = next((d for d in (project, call.root) if d and d.startswith("/")), None) or _here()
    root = project or (call.root if call.named else None)
    assert call.request is not None  # noqa: S101
    cwd = os.path.join(base, call.request.cwd or "") if base else call.request.cwd
    if cwd and cwd != "/":
        cwd = cwd.rstrip("/")
    request = call.request.replace(cwd=cwd, root=root if root and root.startswith("/") else None)
    return call.replace(request=request, root=call.root or base)


def _destroys(verdict: "Verdict") -> bool:
    """Whether a call destroys anything."""
    return any("destroy" in match.effects for match in verdict.matches)


def _here() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def stderr_line(why: str) -> str:
    """What is said on stderr, as a line."""
    return f"execpolicy: {printable(why, 1000)}\n"


# --- the watchdog ---------------------------------------------------------------------------------


def _watch(hook: Hook) -> None:
    """Answer in the hook's place when the time is over."""

    def late(_number: int, _frame: object) -> None:
        reply = hook.undecided(f"there was no answer within {SECONDS} s")
        os.write(1, reply.stdout.encode())
        os.write(2, reply.stderr.encode())
        if hook.loading and os.fork() == 0:
            _stay_behind()
            return
        os._exit(reply.code)

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)


def _stay_behind() -> None:
    """Compile the rules to the end, so that the next call finds them in the cache."""
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, LOADING_SECONDS)
