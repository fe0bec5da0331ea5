"""A host's event in a wrapped session.

What is not forbidden is granted where it is a command: the host would ask about it, and the
supervisor decides when the command comes, whatever was said here. So an event that was made up
opens nothing, and a question has one place and one code. A file or a host the sandbox of the agent
holds: it is granted where that does. What is neither, as a tool of a server elsewhere, no sandbox
holds. Of both a question is left for the user with its code.
"""

from execpolicy.commands.answering import HookAnswer, consult
from execpolicy.commands.hook import Hook
from execpolicy.engine.standing import Asking, Standing
from execpolicy.hosts.payloads import words
from execpolicy.hosts.payloads.tool_names import UNSURE
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.engine.engine import Approvals, Engine
    from execpolicy.hosts.payloads.protocol import Reply
    from execpolicy.model.operation import Request
    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.api import Sandbox

HELD = "the sandbox of this session holds it"
LATER = "it is decided about when it starts"


class SessionHook(Hook):
    """One event of a host in a session. `known` gives a request as one of the session's own."""

    def __init__(
        self, name: str, sandbox: "Sandbox", known: "Callable[[Request], Request]"
    ) -> None:
        super().__init__(name)
        self._sandbox, self._known = sandbox, known
        self._held: Decision | None = None
        self._is_command = False

    def _answered(self, _request: "Request") -> "Reply":
        return self.decided()

    def engine(self, _root: str | None, _approvals: "Approvals") -> "Engine":
        """The policy of the session."""
        return self._sandbox.engine

    def decide(self, engine: "Engine", request: "Request") -> "Verdict":
        """The verdict about the call, and what it is in the sandbox."""
        request = self._known(request)
        self._asked = engine, request
        self._is_command = request.text is not None or request.argv is not None
        if not self._is_command:
            verdict = engine.decide(request)
            held = all(isinstance(one, Access | Connect) for one in request.operations or ())
            self._held = verdict.confined if held else verdict.decision
            return verdict
        attempt = self._sandbox.requested(request)
        self._held = attempt.ruling.decision
        return attempt.verdict

    def answer_to(self, verdict: "Verdict") -> HookAnswer:
        """What the host is told; its own list stands."""
        if verdict.decision is Decision.FORBIDDEN or self._held is Decision.FORBIDDEN:
            return HookAnswer(Decision.FORBIDDEN, "the verdict forbids it")
        if self.call.event.lower() == "permissionrequest" or self.call.kind in UNSURE:
            return HookAnswer(None, "the host decides")
        passes = self._is_command or self._held is Decision.ALLOW
        if not passes and (verdict.floor or not self._is_approved(verdict)):
            return HookAnswer(Decision.FORBIDDEN, "the user has to be asked", refused=True)
        host = consult(self.name or "claude", self.call)
        if any(answer.does == "refuses" for answer in host(_operations(verdict))):
            return HookAnswer(None, "the host's own list refuses it")
        return HookAnswer(Decision.ALLOW, HELD if self._held is Decision.ALLOW else LATER)

    def _is_approved(self, verdict: "Verdict") -> bool:
        from execpolicy.commands.remember import remembered

        assert self._asked is not None  # noqa: S101
        engine, request = self._asked
        settled = remembered(self.name or "", request.session, spend=True)
        found = settled(request, verdict, engine.snapshot, engine.resolver)
        return found.decision is Decision.ALLOW

    def _reply(self, verdict: "Verdict") -> "Reply":
        said = self.answer_to(verdict)
        if said.refused:
            return self._refused(verdict, words.reason(verdict))
        reason = said.why if said.decision is Decision.ALLOW else words.reason(verdict)
        return self.agent.reply(self.call, said.decision, reason)


def _operations(verdict: "Verdict") -> tuple[Asking, ...]:
    """All that would happen, for the host's list."""
    return tuple(Asking(judged.operation, Standing.GRANTED) for judged in verdict.judged)
