"""GitHub Copilot CLI: preToolUse and permissionRequest, in both spellings of their payload.

Reference: docs.github.com/en/copilot/reference/hooks-reference. An exit code other than 0 denies.
"""

from execpolicy.agents import tools
from execpolicy.agents.base import ASKS, NOBODY, UNSURE, Call, Reply
from execpolicy.agents.payload import hint, optional
from execpolicy.decision import Decision
from execpolicy.jsonlite import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.agents.base import Payload

EVENTS = ("preToolUse", "permissionRequest")
MODES = {"default": ASKS, "allow-all": NOBODY, "allow-all-tools": NOBODY, "yolo": NOBODY}
_WORDS = {Decision.ALLOW: "allow", Decision.PROMPT: "ask", Decision.FORBIDDEN: "deny"}


def read(payload: "Payload") -> Call:
    """The call of an event. A payload in camel case need not name the event."""
    named = optional(payload, "hook_event_name", "hookEventName", "hookName") or EVENTS[0]
    event = named[:1].lower() + named[1:]
    if event not in EVENTS:
        return Call()
    snake = "toolName" not in payload
    names = ("tool_name", "tool_input") if snake else ("toolName", "toolArgs")
    used = tools.of(payload, "copilot", names)
    return Call(used.request, event, hint(payload, "cwd"), UNSURE, used.tool, used.kind)


def asks(call: Call) -> bool:
    """The command line asks; the cloud agent takes a question for a denial."""
    return True


def reply(call: Call, decision: Decision | None, reason: str) -> Reply:
    """A flat object. Silence in permissionRequest lets the question be asked."""
    if decision is None or (decision is Decision.PROMPT and call.event == "permissionRequest"):
        return Reply()
    if call.event == "permissionRequest":
        said = {"behavior": "allow"}
        if decision is Decision.FORBIDDEN:
            said = {"behavior": "deny", "message": reason}
        return Reply(encode(said) + "\n")
    said = {"permissionDecision": _WORDS[decision], "permissionDecisionReason": reason}
    return Reply(encode(said) + "\n")
