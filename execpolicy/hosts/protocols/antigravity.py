"""Antigravity (`agy`): PreToolUse. It wants an answer; a malformed one makes it ask.

`allow` leaves its own rules in charge. `ask` is no question where the user said always to it;
`force_ask` is one.
"""

from execpolicy.hosts.payloads import tools
from execpolicy.hosts.payloads.payload import added, hint, table
from execpolicy.hosts.payloads.protocol import UNSURE, Payload, Reply, ToolCall
from execpolicy.model.decision import Decision
from execpolicy.support.json_encode import encode

EVENTS = ("PreToolUse",)
HEADLESS: tuple[str, ...] = ()
MODES = {"default": UNSURE}
_WORDS = {Decision.ALLOW: "allow", Decision.PROMPT: "force_ask", Decision.FORBIDDEN: "deny"}


def read(payload: "Payload") -> ToolCall:
    """The call of a tool."""
    call = table(payload, "toolCall")
    roots = payload.get("workspacePaths")
    first = roots[0] if isinstance(roots, list) and roots else None
    cwd = first if isinstance(first, str) else None
    where = {"cwd": cwd, "session_id": hint(payload, "conversationId")}
    used = tools.of({**call, **where}, "antigravity", ("name", "args"))
    request = used.request and used.request.replace(roots=added(payload, "workspacePaths"))
    return ToolCall(request, EVENTS[0], cwd, UNSURE, used.tool, used.kind, named=cwd is not None)


def asks(call: ToolCall) -> bool:
    """`force_ask` makes the host ask."""
    return True


def reply(call: ToolCall, decision: Decision | None, reason: str) -> Reply:
    """One object, also where nothing is decided."""
    if decision is None:
        return Reply(encode({"decision": "allow"}) + "\n")
    soft = decision is Decision.PROMPT and call.soft
    said = {"decision": "ask" if soft else _WORDS[decision]}
    if decision:
        said["reason"] = reason
    return Reply(encode(said) + "\n")
