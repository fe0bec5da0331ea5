"""One call of a tool as an agent's transcript has it, and what was answered."""

from enum import StrEnum

from execpolicy.model.operation import Request
from execpolicy.support.record import Value


class CallOutcome(StrEnum):
    """What the host, or the person in front of it, made of a call."""

    UNKNOWN = ""
    """The transcript ends before it, or does not say."""
    RAN = "ran"
    """The tool gave a result, be it an error of the command."""
    HOST = "refused by the host"
    """A rule, a mode or a hook of the host refused it, and no person was asked."""
    PERSON = "refused by a person"


class TranscriptCall(Value):
    """What an agent did, or wanted to do.

    `request` is the call as the engine is asked about it, with its text or its operations and the
    directory that it ran in. `id` is the host's own, `root` the directory where the session began,
    `time` RFC 3339 in UTC or empty. `sub`: a sub-agent made the call.
    """

    id: str
    agent: str
    session: str
    request: Request
    tool: str = ""
    root: str | None = None
    sub: bool = False
    time: str = ""
    outcome: CallOutcome = CallOutcome.UNKNOWN

    @property
    def key(self) -> tuple[object, ...]:
        """What is the same where a session that was resumed or forked repeats the call."""
        request = self.request
        return self.agent, self.id, request.text, request.argv, request.operations

    @property
    def shown(self) -> str:
        """The command, or the operations of a tool, as one text."""
        request = self.request
        if request.text is not None:
            return request.text
        if request.argv is not None:
            return " ".join(request.argv)
        return " ".join((self.tool, *filter(None, map(_subject, request.operations or ()))))


def _subject(operation: object) -> str:
    for name in ("path", "host"):
        found = getattr(operation, name, "")
        if found:
            return str(found)
    return ""
