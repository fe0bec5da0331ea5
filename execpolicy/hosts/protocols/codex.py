"""Codex: PreToolUse and PermissionRequest (codex-rs/hooks/schema/generated).

PreToolUse can only deny: `allow`, `ask`, an empty reason or a field that the host does not know
make the answer invalid, and then the call goes on. What is allowed is granted when the host itself
is about to ask, in PermissionRequest. Of its approval policies the payload tells only `never`.
"""

from execpolicy.hosts.payloads.protocol import (
    ASKS,
    PLAN,
    STRICT,
    UNATTENDED,
    Payload,
    Reply,
    ToolCall,
)
from execpolicy.hosts.protocols import claude
from execpolicy.model.decision import Decision
from execpolicy.support.json_encode import encode

EVENTS = claude.COMMON
HEADLESS: tuple[str, ...] = ("exec", "e", "review")
MODES = {
    "default": ASKS,
    "on-request": ASKS,
    "untrusted": STRICT,
    "plan": PLAN,
    "never": UNATTENDED,
    "dontAsk": UNATTENDED,
    "bypassPermissions": UNATTENDED,
}


def read(payload: "Payload") -> ToolCall:
    """The call of an event."""
    return claude.read_as("codex", payload, MODES)


def asks(call: ToolCall) -> bool:
    """Only where the host was about to ask anyway."""
    return call.event == "PermissionRequest"


def reply(call: ToolCall, decision: Decision | None, reason: str) -> Reply:
    """The decision for the event; silence is what PreToolUse has for all but a denial."""
    if decision is not None and call.event == "PermissionRequest":
        return claude.permission(decision, reason)
    if decision is not Decision.FORBIDDEN:
        return Reply()
    said = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason or "forbidden by policy",
    }
    return Reply(encode({"hookSpecificOutput": said}) + "\n")
