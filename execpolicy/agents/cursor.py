"""Cursor: beforeShellExecution, preToolUse, beforeReadFile (cursor.com/docs/hooks).

The editor honours all three answers, its command line only the denial. Versions before 2 spell the
messages in camel case; each is sent in the spelling that the payload's version reads.
"""

from execpolicy.agents import tools
from execpolicy.agents.base import Call, PayloadError, Reply
from execpolicy.agents.payload import hint, text
from execpolicy.decision import Decision
from execpolicy.jsonlite import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.agents.base import Payload

EVENTS = ("beforeShellExecution", "preToolUse", "beforeReadFile")
_WORDS = {Decision.ALLOW: "allow", Decision.PROMPT: "ask", Decision.FORBIDDEN: "deny"}


def read(payload: "Payload") -> Call:
    """The call of an event."""
    event = text(payload, "hook_event_name")
    old = (hint(payload, "cursor_version") or "").startswith(("0.", "1."))
    shown = event + (" 1" if old else "")
    root = _root(payload)
    where = {**payload, "cwd": hint(payload, "cwd") or root}
    if event == "beforeShellExecution":
        return Call(tools.request("shell", payload, "cursor", where), shown, root)
    if event == "preToolUse":
        return Call(tools.of(where, "cursor", ("tool_name", "tool_input")), shown, root)
    if event == "beforeReadFile":
        return Call(tools.request("read", payload, "cursor", where), shown, root)
    raise PayloadError(f"`{event}` is no event that asks for a decision")


def _root(payload: "Payload") -> str | None:
    """The first workspace. `cwd` may be empty where it is meant."""
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return first if isinstance(first, str) and first else hint(payload, "cwd")


def asks(call: Call) -> bool:
    """The editor asks. The command line ignores the answer and asks by its own permissions."""
    return True


def reply(call: Call, decision: Decision, reason: str) -> Reply:
    """The answer; the reason goes to both readers, for the model is shown either of them."""
    said = {"permission": _WORDS[decision]}
    if decision:
        old = call.event.endswith(" 1")
        said["userMessage" if old else "user_message"] = reason
        said["agentMessage" if old else "agent_message"] = reason
    return Reply(encode(said) + "\n")
