"""Codex: PreToolUse and PermissionRequest (codex-rs/hooks/schema/generated).

PreToolUse can only deny: `allow`, `ask`, an empty reason or a field that the host does not know
make the answer invalid, and then the call goes on. What is allowed is granted when the host itself
is about to ask, in PermissionRequest.
"""

from execpolicy.agents import claude, tools
from execpolicy.agents.base import Call, PayloadError, Reply
from execpolicy.agents.payload import hint, text
from execpolicy.decision import Decision
from execpolicy.jsonlite import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.agents.base import Payload

EVENTS = claude.EVENTS
_UNASKED = ("bypassPermissions", "dontAsk")


def read(payload: "Payload") -> Call:
    """The call of an event."""
    event = text(payload, "hook_event_name")
    if event not in EVENTS:
        raise PayloadError(f"`{event}` is no event that asks for a decision")
    request = tools.of(payload, "codex", ("tool_name", "tool_input"))
    unasked = hint(payload, "permission_mode") in _UNASKED
    return Call(request, event, hint(payload, "cwd"), unasked)


def asks(call: Call) -> bool:
    """Only where the host was about to ask anyway."""
    return call.event == "PermissionRequest"


def reply(call: Call, decision: Decision, reason: str) -> Reply:
    """The decision for the event; silence is what PreToolUse has for all but a denial."""
    if call.event == "PermissionRequest":
        return claude.permission(decision, reason)
    if decision is not Decision.FORBIDDEN:
        return Reply()
    said = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason or "forbidden by policy",
    }
    return Reply(encode({"hookSpecificOutput": said}) + "\n")
