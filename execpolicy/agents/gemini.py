"""Gemini CLI: BeforeTool (docs/hooks/reference.md of google-gemini/gemini-cli).

`deny` refuses, `ask` forces the question, `allow` leaves the host's own policy in charge.
"""

from execpolicy.agents import tools
from execpolicy.agents.base import Call, PayloadError, Reply
from execpolicy.agents.payload import hint, text
from execpolicy.decision import Decision
from execpolicy.jsonlite import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.agents.base import Payload

_WORDS = {Decision.ALLOW: "allow", Decision.PROMPT: "ask", Decision.FORBIDDEN: "deny"}


def read(payload: "Payload") -> Call:
    """The call of a BeforeTool event."""
    event = text(payload, "hook_event_name")
    if event != "BeforeTool":
        raise PayloadError(f"`{event}` is no event that asks for a decision")
    request = tools.of(payload, "gemini", ("tool_name", "tool_input"))
    return Call(request, event, hint(payload, "cwd"))


def asks(call: Call) -> bool:
    """The answer `ask` overrides the host's policy."""
    return True


def reply(call: Call, decision: Decision, reason: str) -> Reply:
    """One object; nothing else may stand on stdout."""
    said = {"decision": _WORDS[decision]}
    if decision:
        said["reason"] = reason
    return Reply(encode(said) + "\n")
