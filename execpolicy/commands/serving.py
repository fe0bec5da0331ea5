"""What a server does for its clients, by the same functions as the commands of these names."""

import json

from execpolicy.commands import ancestors, repeat, serving_page, serving_sessions, unfinished
from execpolicy.commands.check_host import validate
from execpolicy.commands.check_jsonl import LineStream
from execpolicy.commands.check_jsonl import read as read_line
from execpolicy.commands.hook import Hook, stderr_line
from execpolicy.commands.options import CheckOptions
from execpolicy.commands.remember import remembered
from execpolicy.commands.render.explain_steps import explained, explained_wire
from execpolicy.hosts.payloads.protocol import Reply
from execpolicy.hosts.protocols import AGENTS
from execpolicy.model.errors import ExecPolicyError, UsageError
from execpolicy.model.operation import SHELLS, Request
from execpolicy.serve.client import written
from execpolicy.serve.engines import Turn
from execpolicy.support import watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from execpolicy.engine.engine import Approvals, Engine
    from execpolicy.engine.memory.recent import Together
    from execpolicy.model.verdict import Verdict
    from execpolicy.serve.decider import Work
    from execpolicy.serve.inputs import Process
    from execpolicy.store.ledger.ledger import Waiting

OPTIONS = ("cwd", "host", "mode", "scope", "session", "shell")
"""The options of `check` that a request may have."""


class UndecidedError(ExecPolicyError):
    """The server has no verdict, so the client has to find its own."""


class ServedHook(Hook):
    """A call of a host for which a server answers. Where there is no verdict, it gives none."""

    def __init__(self, name: str, turn: Turn, process: "Process") -> None:
        super().__init__(name)
        self._turn, self._process = turn, process
        self._together: Together | None = None
        self._marks = False
        self.lines: list[str] = []

    def once(self, words: "Sequence[str]", asked: "Sequence[str]") -> Reply:
        """The reply to what these words say: one that was kept, else one that may be kept."""
        replies, process = self._turn.engines.replies, self._process
        key = *words, process.cwd, process.names, process.values
        found = None if unfinished.is_left() else replies.recall(key)
        if found is not None:
            if found.marks:
                self.mark()
            for line in found.answer.logged:
                repeat.again(line, self._turn.log)
            return repeat.reply_of(found.answer)
        if not replies.is_known(key) or not repeat.is_clean(asked):
            return self.decided()
        with Turn(self._turn.engines) as self._turn:  # one that saw nothing for others
            decide = repeat.kept(self.decided)
            return repeat.reply_of(replies.watched(key, decide, lambda: self._marks))

    def mark(self) -> None:
        """Mark the host above the client, also where the same reply is given again."""
        self._marks = True
        super().mark()

    def engine(self, root: str | None, approvals: "Approvals") -> "Engine":
        """The policy that the server keeps for the project."""
        found = self._turn.engine(
            self._process, root or self._process.cwd, audit=True, approvals=approvals
        )
        engine, self._together = found
        return engine

    def decide(self, engine: "Engine", request: Request) -> "Verdict":
        """The verdict, with what was seen for others of the same turn."""
        return engine.decide(request, self._together)

    def tell(self, why: str) -> None:
        """Keep what the hook says on stderr, for the client to say. It is not said again."""
        watching.here.never_again = True
        self.lines.append(why)

    def _awaited(self, waiting: "Waiting") -> "Waiting":
        """Raise `UndecidedError`: the client waits itself."""
        raise UndecidedError("a server waits for no answer")

    def undecided(self, why: str) -> Reply:
        """Raise `UndecidedError`: the client may know better."""
        raise UndecidedError(why)


def hook(name: str, payload: bytes) -> "Work":
    """What `execpolicy hook NAME` writes for a payload. Raises `UsageError` for no such host."""
    if name not in AGENTS:
        raise UsageError(f"unknown host: use one of {', '.join(AGENTS)}")

    def work(turn: Turn, process: "Process") -> bytes:
        served = ServedHook(name, turn, process)
        reply = served.answer(payload)
        lines = "".join(map(stderr_line, served.lines))
        return written(reply.replace(stderr=lines + reply.stderr))

    return work


def check(given: "Mapping[str, object]", lines: "Sequence[bytes]") -> "Work":
    """What `execpolicy check --jsonl` writes for lines, with options such as `{"host": "claude"}`.

    Raises `UsageError` for options that are not valid.
    """
    unknown = [name for name in given if name not in OPTIONS]
    if unknown or not all(value is None or isinstance(value, str) for value in given.values()):
        raise UsageError(f"the options are texts: {', '.join(OPTIONS)}")
    options = CheckOptions(jsonl=True, **{k: v for k, v in given.items() if v is not None})  # type: ignore[arg-type]
    if options.shell is not None and options.shell not in SHELLS:
        raise UsageError(f"unknown shell: use one of {', '.join(SHELLS)}")
    if options.host is not None or options.mode is not None or options.session is not None:
        validate(options)

    def work(turn: Turn, process: "Process") -> bytes:
        from execpolicy.commands.check import directory

        own = options.replace(cwd=directory(options.cwd))
        approvals = remembered(own.host or "", own.session)
        where = own.cwd or process.cwd
        engine, together = turn.engine(process, where, audit=True, approvals=approvals)
        stream = LineStream(engine, own)
        replies = [stream.reply(read_line(line, own), together) for line in lines]
        return "".join(f"{reply}\n" for reply in replies).encode()

    return work


def explain(text: str, cwd: str | None) -> "Work":
    """What `execpolicy explain --json -c TEXT` writes. Nothing of it goes to the log."""

    def work(turn: Turn, process: "Process") -> bytes:
        request = Request(text=text, cwd=cwd or process.cwd)
        engine, together = turn.engine(process, request.cwd or "/", audit=False, approvals=None)
        verdict = engine.decide(request, together)
        found = explained(request, engine.snapshot, verdict, engine.resolver)
        return json.dumps(explained_wire(verdict, found)).encode()

    return work


class Served:
    """The commands as the server calls them (`serve.service.ServedCommands`)."""

    hook = staticmethod(hook)
    check = staticmethod(check)
    explain = staticmethod(explain)
    questions = staticmethod(serving_page.questions)
    answer = staticmethod(serving_page.answer)
    log = staticmethod(serving_page.log)
    asked_most = staticmethod(serving_page.asked_most)
    sessions = staticmethod(serving_sessions.sessions)
    undo = staticmethod(serving_sessions.undo)
    policy = staticmethod(serving_page.policy)
    try_rule = staticmethod(serving_page.try_rule)
    is_below_agent = staticmethod(ancestors.is_below_agent)
