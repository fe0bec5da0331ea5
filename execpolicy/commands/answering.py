"""What a hook does with a verdict: grant, stay silent, ask or refuse. A hook never widens its host.

The table is `answer`, a pure function of where the verdict stands, of what the host itself would do
with each operation that asks, and of what this moment of the host can be told. `hook` and
`check --host` both go this way.
"""

from execpolicy.engine.standing import Standing, askings, only_reads, standing
from execpolicy.hosts.payloads.protocol import ASKS, PLAN, UNATTENDED, ToolCall
from execpolicy.hosts.payloads.tool_names import UNSURE
from execpolicy.model.decision import Decision
from execpolicy.model.verdict import Verdict
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.engine.standing import Asking
    from execpolicy.hosts.permissions.base import HostAnswer

    Host = Callable[[tuple[Asking, ...]], tuple[HostAnswer, ...]]


OWN, DEFAULT = "own", "default"
"""The outcomes in `hosts.permissions.base`, which is read only where it is needed."""


class HookAnswer(Value):
    """What is said: a decision, or None for silence, and why, for the user.

    `soft`: nothing but the posture asks. `refused`: it is a question that cannot be put. `undo`:
    the silence holds only if a whole snapshot was taken before; without one it is a refused
    question.
    """

    decision: Decision | None
    why: str
    soft: bool = False
    refused: bool = False
    undo: bool = False

    @property
    def word(self) -> str:
        """The answer in one word."""
        return "silent" if self.decision is None else _WORDS[self.decision]


_WORDS = {Decision.ALLOW: "grant", Decision.PROMPT: "ask", Decision.FORBIDDEN: "refuse"}


def answer(verdict: Verdict, call: ToolCall, asks: bool, heeded: bool, host: "Host") -> HookAnswer:
    """What a hook says to a call.

    `asks`: whether this moment can make the host ask, `heeded`: whether the host certainly does
    then. `host` tells what the host itself would do, and is called only where the verdict asks.
    """
    where = standing(verdict)
    if where is Standing.FORBIDDEN:
        return HookAnswer(Decision.FORBIDDEN, "the verdict forbids it")
    if where is Standing.LEFT:
        return HookAnswer(None, "only the shipped rules allow it, so the host decides")
    if where is Standing.GRANTED:
        if call.kind in UNSURE:
            return HookAnswer(None, "what reads it is not known, so the host decides")
        if call.mode == PLAN and not only_reads(verdict):
            return HookAnswer(None, "the host's mode is for plans, so the host decides")
        return HookAnswer(
            Decision.ALLOW, "a rule of the user allows it, or it reads in the project"
        )
    return _question(where, askings(verdict), call.mode == UNATTENDED, asks, heeded, host)


def _question(
    where: Standing,
    asking: "tuple[Asking, ...]",
    unattended: bool,
    asks: bool,
    heeded: bool,
    host: "Host",
) -> HookAnswer:
    """The answer where the verdict asks. `unattended`: the host's mode never asks the user."""
    if where is Standing.ASKED and (unattended or (asks and heeded)):
        return (
            _refusal(unattended)
            if unattended
            else HookAnswer(Decision.PROMPT, "it asks in every mode")
        )
    answers = host(asking) if asking else ()
    pairs = zip(asking, answers, strict=True)
    left = [(a, one) for a, one in pairs if not _is_answered(a, one, unattended)]
    held = not unattended and all(a.held and one.holds for a, one in left)
    if asking and (held or not left):
        return HookAnswer(None, _words(answers, OWN), undo=any(a.undo for a, _ in left))
    soft = where is Standing.POSTURE
    if not unattended and (soft or not asks) and any(a.does in _ANYWAY for a in answers):
        return HookAnswer(None, _words(answers, ASKS))
    ignored = not heeded and any(a.does in (OWN, DEFAULT) for a in answers)
    if unattended or not asks or ignored:
        return _refusal(unattended)
    return HookAnswer(Decision.PROMPT, _ALONE if soft else _UNNAMED, soft)


_ANYWAY = ("asks", "refuses")
_ALONE = "it is not certain that the host asks by itself"
_UNNAMED = "no list of yours in the host names the program"


def _refusal(unattended: bool) -> HookAnswer:
    why = (
        "the user is not asked in this mode"
        if unattended
        else "this host cannot be made to ask here"
    )
    return HookAnswer(Decision.FORBIDDEN, why, refused=True)


def _is_answered(asking: "Asking", answer: "HostAnswer", unattended: bool) -> bool:
    """Whether the user answered the question already, in the host."""
    if asking.standing is Standing.REMOTE:
        return answer.names
    if asking.standing is Standing.POSTURE:
        return answer.listed if unattended else answer.does == OWN
    return False


def _words(answers: "tuple[HostAnswer, ...]", does: str) -> str:
    """The words of the first answer with this outcome."""
    said = (a.why for a in answers if a.does == does and a.why)
    return next(said, "the host decides by itself")


def consult(name: str, call: ToolCall) -> "Host":
    """What a host would do with operations of a call, by its own settings; read when asked."""

    def host(asking: "tuple[Asking, ...]") -> "tuple[HostAnswer, ...]":
        from execpolicy.hosts.permissions import answers
        from execpolicy.hosts.permissions.base import HostAnswer, Tool

        if call.author:
            # The host runs it by what the file itself allows, and does not ask.
            mine = call.author == "user"
            stands = (
                HostAnswer(OWN, True, True, "it stands in a file of yours")
                if mine
                else HostAnswer()
            )
            return tuple(stands for _ in asking)
        if call.event.lower() == "permissionrequest":
            return tuple(HostAnswer(ASKS, why="the host is about to ask") for _ in asking)
        cwd, root = (call.request.cwd, call.request.root) if call.request else (None, None)
        tool = Tool(call.tool, call.kind, call.mode, cwd, root or call.root, call.rules)
        return answers(name, tool, tuple((a.operation, a.around) for a in asking))

    return host
