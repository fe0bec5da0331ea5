"""GitHub Copilot CLI: preToolUse and permissionRequest, in both spellings of their payload.

Reference: docs.github.com/en/copilot/reference/hooks-reference. An exit code other than 0 denies.
Both come before the host's own rules, permissionRequest too where it asks nothing, so that it
can only add to the other. A grant in either overrides what the host's command line denies (seen
with 1.0.102), so that nothing is granted under such a command line.
"""

from execpolicy.hosts.payloads import tools
from execpolicy.hosts.payloads.payload import hint, optional
from execpolicy.hosts.payloads.protocol import (
    ASKS,
    UNATTENDED,
    UNSURE,
    WORDS,
    Payload,
    Reply,
    ToolCall,
)
from execpolicy.hosts.payloads.started import above
from execpolicy.model.decision import Decision
from execpolicy.support.json_encode import encode

EVENTS = ("preToolUse", "permissionRequest")
HEADLESS: tuple[str, ...] = ("-p", "--prompt")
MODES = {
    "default": ASKS,
    "allow-all": UNATTENDED,
    "allow-all-tools": UNATTENDED,
    "yolo": UNATTENDED,
}


def read(payload: "Payload") -> ToolCall:
    """The call of an event. A payload in camel case need not name the event."""
    named = optional(payload, "hook_event_name", "hookEventName", "hookName") or EVENTS[0]
    event = named[:1].lower() + named[1:]
    if event not in EVENTS:
        return ToolCall()
    snake = "toolName" not in payload
    given = "toolArgs" if "toolArgs" in payload else "toolInput"
    names = ("tool_name", "tool_input") if snake else ("toolName", given)
    used = tools.of(payload, "copilot", names)
    return ToolCall(used.request, event, hint(payload, "cwd"), UNSURE, used.tool, used.kind)


def asks(call: ToolCall) -> bool:
    """The command line asks; the cloud agent takes a question for a denial."""
    return True


def reply(call: ToolCall, decision: Decision | None, reason: str) -> Reply:
    """A flat object. Silence in permissionRequest lets the host go on."""
    if decision is None or (decision is Decision.PROMPT and call.event == EVENTS[1]):
        return Reply()
    if decision is Decision.ALLOW and denies():
        return Reply()
    if call.event == EVENTS[1]:
        said = {"behavior": "allow"}
        if decision is Decision.FORBIDDEN:
            said = {"behavior": "deny", "message": reason}
        return Reply(encode(said) + "\n")
    said = {"permissionDecision": WORDS[decision], "permissionDecisionReason": reason}
    return Reply(encode(said) + "\n")


_DENYING = ("--deny-tool", "--deny-url", "--available-tools", "--excluded-tools")


def denies() -> bool:
    """Whether a process that this one comes from was started with flags that refuse tools."""
    return any(word.startswith(_DENYING) for words in above() for word in words)
