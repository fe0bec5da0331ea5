"""Permissions inside a process, for agents written in Python.

The policy is asked first, each time; only then does an earlier answer count, and only for exactly
the same tool with exactly the same arguments. Calls at the same time with the same key wait for one
answer.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from execpolicy.approvals.library.call import Call
from execpolicy.approvals.memory import never, never_whole
from execpolicy.engine.engine import Engine
from execpolicy.model.approval import Answer, Life
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.support import digest
from execpolicy.support.record import Value

Said = Answer | Life | str | bool
Ask = Callable[["Call"], Said | Awaitable[Said]]
Policy = Callable[["Call"], Verdict | Decision | Awaitable[Verdict | Decision]]

DOOM_LOOP = 3
"""How many times in a row the same call is made before that alone is a question."""


class Permission(Value):
    """Whether a tool may run: `ALLOW` or `FORBIDDEN`, who decided, and what the model is told."""

    decision: Decision
    by: str
    message: str = ""

    @property
    def allowed(self) -> bool:
        """Whether the tool may run."""
        return self.decision is Decision.ALLOW


class LogEntry(Value):
    """One line of the log: when, in seconds of the wall clock, which call, and what was decided."""

    at: float
    tool: str
    arguments: str
    decision: str
    by: str
    message: str


class PermissionManager:
    """Decides about calls by a policy, and asks where the policy does.

    `policy` is an engine, or a function from a call to a verdict or a decision. `ask` is given the
    call and says `once`, `session`, `reject`, a yes or no, or an `Answer`; both may be async.
    `request` makes a call what an engine decides about; by default the tools of known agents are
    understood, and a tool with a `command`. An `ask` that raises refuses.
    """

    def __init__(
        self,
        policy: Engine | Policy,
        ask: Ask | None = None,
        *,
        request: Callable[[str, Mapping[str, object]], Request | None] | None = None,
        loop: int = DOOM_LOOP,
    ) -> None:
        from execpolicy.approvals.library.terminal import default_cli_prompt

        self.policy = policy
        self.ask: Ask = ask or default_cli_prompt
        self.request = request or requested
        self.loop = loop
        self.log: list[LogEntry] = []
        self._session: set[str] = set()
        self._last: tuple[str, int] = ("", 0)
        self._locks: dict[str, asyncio.Lock] = {}

    async def check(self, tool: str, arguments: Mapping[str, object]) -> Permission:
        """Whether a tool may run with these arguments. The answer is in the log, too.

        Raises `TypeError` for arguments that have no JSON form.
        """
        call = Call(tool, canonical(arguments), request=self.request(tool, arguments))
        call = call.replace(shown=call.arguments)
        key = digest.of_parts((call.tool.encode("utf-8", "surrogatepass"), call.arguments.encode()))
        call = call.replace(repeats=self._repeated(key))
        lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock:
            permission = await self._decided(call, key)
        self._note(call, permission)
        return permission

    async def _decided(self, call: Call, key: str) -> Permission:
        found = await self._policy(call)
        decision = found.decision if isinstance(found, Verdict) else found
        if decision is Decision.FORBIDDEN:
            return Permission(decision, "policy", _reason(found))
        if self.loop and call.repeats >= self.loop:
            why = f"the same call {call.repeats} times in a row"
            loop = call.replace(why=(why,), remembered=True)
            if f"loop:{call.tool}" not in self._session:
                said = await self._asked(loop, f"loop:{call.tool}")
                if not said.allowed:
                    return said
        if decision is Decision.ALLOW:
            return Permission(decision, "policy")
        call = call.replace(why=_why(found), remembered=_may_remember(found))
        if call.remembered and key in self._session:
            return Permission(Decision.ALLOW, "session")
        return await self._asked(call, key)

    async def _policy(self, call: Call) -> Verdict | Decision:
        if not callable(self.policy):
            if call.request is None:
                return Decision.PROMPT
            return self.policy.decide(call.request)
        found = self.policy(call)
        return found if isinstance(found, Verdict | Decision) else await found

    async def _asked(self, call: Call, key: str) -> Permission:
        """The user's answer; what is not an answer refuses."""
        from inspect import isawaitable

        try:
            said = self.ask(call)
            answer = _answer(await said if isawaitable(said) else said)
        except Exception as error:
            message = f"there was no answer: {type(error).__name__}"
            return Permission(Decision.FORBIDDEN, "error", message)
        if answer.life is Life.REJECT:
            told = f": {answer.feedback}" if answer.feedback else ""
            return Permission(Decision.FORBIDDEN, answer.by, f"the user said no{told}")
        if answer.life >= Life.TIMED and call.remembered:
            self._session.add(key)
        return Permission(Decision.ALLOW, answer.by)

    def _repeated(self, key: str) -> int:
        last, count = self._last
        self._last = key, count + 1 if key == last else 1
        return self._last[1]

    def forget(self) -> None:
        """Take every answer for the session back."""
        self._session.clear()

    def _note(self, call: Call, permission: Permission) -> None:
        import time

        word, by, message = permission.decision.word, permission.by, permission.message
        self.log.append(LogEntry(time.time(), call.tool, call.arguments, word, by, message))

    def export(self) -> str:
        """The log as JSON."""
        import json

        rows = [{n: getattr(entry, n) for n in LogEntry.__fields__} for entry in self.log]
        return json.dumps(rows, ensure_ascii=False, indent=2)


def canonical(arguments: Mapping[str, object]) -> str:
    """The arguments as one text: keys sorted, 1 and 1.0 and true three things.

    Raises `TypeError` for what has no JSON form.
    """
    import json

    try:
        return json.dumps(arguments, sort_keys=True, ensure_ascii=True, allow_nan=False)
    except ValueError as error:
        raise TypeError(f"the arguments have no JSON form: {error}") from error


def requested(tool: str, arguments: Mapping[str, object]) -> Request | None:
    """What a call is about: a tool of a known agent, or one with a `command`; None for others."""
    from execpolicy.hosts.payloads import tools
    from execpolicy.hosts.payloads.protocol import PayloadError

    try:
        return tools.request(tool, dict(arguments), "library", {}).request
    except PayloadError:
        return None


def _answer(said: object) -> Answer:
    """The answer in what `ask` gave. Raises `TypeError` for anything else."""
    if isinstance(said, bool):
        return Answer("", Life.ONCE if said else Life.REJECT)
    if isinstance(said, str):
        return Answer("", Life.parse(said))
    if isinstance(said, Life):
        return Answer("", said)
    if isinstance(said, Answer):
        return said
    raise TypeError("`ask` must give an answer")


def _may_remember(found: Verdict | Decision) -> bool:
    if isinstance(found, Decision):
        return True
    asking = (judged for judged in found.judged if judged.decision is Decision.PROMPT)
    return not never_whole(found) and all(never(judged) is None for judged in asking)


def _why(found: Verdict | Decision) -> tuple[str, ...]:
    if isinstance(found, Decision):
        return ("the policy asks",)
    asking = (match for judged in found.judged for match in judged.matches if match.decision)
    return tuple(match.sentence for match in asking) or (found.reason,)


def _reason(found: Verdict | Decision) -> str:
    if isinstance(found, Decision):
        return "the policy forbids it"
    from execpolicy.hosts.payloads.words import reason

    return reason(found)


def strictest_of(policies: Sequence[Policy]) -> Policy:
    """The strictest of several policies, all of which are asked: an early question hides no
    refusal."""
    from inspect import isawaitable

    async def strictest(call: Call) -> Verdict | Decision:
        found: list[Verdict | Decision] = []
        for policy in policies:
            said = policy(call)
            found.append(await said if isawaitable(said) else said)
        return max(found, key=lambda f: f.decision if isinstance(f, Verdict) else f)

    return strictest
