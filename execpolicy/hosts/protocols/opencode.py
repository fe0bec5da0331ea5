"""opencode: no hook of its own; a plugin that ships with this package asks and carries out.

The plugin sends `{"tool", "args", "cwd", "root", "session", "event", "rules", "mode"}` and gets
`{"decision", "reason"}`, or nothing where the host is to go its own way. `rules` is the permission
list in force. In the first generation the plugin cannot make the host ask, in the second it can.
"""

from execpolicy.hosts.payloads import tools
from execpolicy.hosts.payloads.payload import hint
from execpolicy.hosts.payloads.protocol import ASKS, UNATTENDED, Payload, Reply, ToolCall, meaning
from execpolicy.model.decision import Decision
from execpolicy.support.json_encode import encode

EVENTS = ("before", "evaluate")
HEADLESS: tuple[str, ...] = ("run",)
MODES = {"default": ASKS, "auto": UNATTENDED}


def read(payload: "Payload") -> ToolCall:
    """The call of a tool."""
    event = hint(payload, "event") or EVENTS[0]
    where = {"cwd": hint(payload, "cwd"), "session_id": hint(payload, "session")}
    used = tools.of({**payload, **where}, "opencode", ("tool", "args"))
    given = payload.get("rules")
    rules = tuple(given) if isinstance(given, list) else None
    root, mode = hint(payload, "root", "cwd"), meaning(MODES, hint(payload, "mode"))
    named = "root" in payload
    return ToolCall(used.request, event, root, mode, used.tool, used.kind, rules, named=named)


def asks(call: ToolCall) -> bool:
    """The plugin sets the effect in the second generation; in the first it can only refuse."""
    return call.event == "evaluate"


def reply(call: ToolCall, decision: Decision | None, reason: str) -> Reply:
    """The decision by its name, for the plugin."""
    if decision is None:
        return Reply()
    return Reply(encode({"decision": decision.word, "reason": reason}) + "\n")
