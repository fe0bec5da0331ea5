"""Antigravity (`agy`): PreToolUse. It wants an answer; a malformed one makes it ask."""

from execpolicy.agents import tools
from execpolicy.agents.base import Call, Reply
from execpolicy.agents.payload import hint, table
from execpolicy.decision import Decision
from execpolicy.jsonlite import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.agents.base import Payload

EVENTS = ("PreToolUse",)
_WORDS = {Decision.ALLOW: "allow", Decision.PROMPT: "ask", Decision.FORBIDDEN: "deny"}


def read(payload: "Payload") -> Call:
    """The call of a tool."""
    call = table(payload, "toolCall")
    roots = payload.get("workspacePaths")
    first = roots[0] if isinstance(roots, list) and roots else None
    cwd = first if isinstance(first, str) else None
    where = {"cwd": cwd, "session_id": hint(payload, "conversationId")}
    return Call(tools.of({**call, **where}, "antigravity", ("name", "args")), EVENTS[0], cwd)


def asks(call: Call) -> bool:
    """`ask` makes the host ask, unless the person said always."""
    return True


def reply(call: Call, decision: Decision, reason: str) -> Reply:
    """One object, also where the engine has no say."""
    said = {"decision": _WORDS[decision]}
    if decision:
        said["reason"] = reason
    return Reply(encode(said) + "\n")
