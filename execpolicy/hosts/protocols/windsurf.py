"""Windsurf: its actions before commands, files and tools. Exit code 2 refuses; that is all."""

from execpolicy.hosts.payloads import tools
from execpolicy.hosts.payloads.payload import hint, table, text
from execpolicy.hosts.payloads.protocol import ASKS, UNATTENDED, UNSURE, Payload, Reply, ToolCall
from execpolicy.model.decision import Decision

_TOOLS = {
    "pre_run_command": "shell",
    "pre_read_code": "read",
    "pre_write_code": "write",
    "pre_mcp_tool_use": "mcp_tool",
}
EVENTS = tuple(_TOOLS)
HEADLESS: tuple[str, ...] = ()
MODES = {"disabled": ASKS, "allowlist": ASKS, "auto": UNSURE, "turbo": UNATTENDED}


def read(payload: "Payload") -> ToolCall:
    """The call of an action."""
    event = text(payload, "agent_action_name")
    if event not in _TOOLS:
        return ToolCall()
    given = table(payload, "tool_info")
    where = {"cwd": hint(given, "cwd"), "session_id": hint(payload, "trajectory_id")}
    used = tools.request(_TOOLS[event], given, "windsurf", where)
    return ToolCall(used.request, event, where["cwd"], UNSURE, used.tool, used.kind)


def asks(call: ToolCall) -> bool:
    """Nothing but a refusal can be said."""
    return False


def reply(call: ToolCall, decision: Decision | None, reason: str) -> Reply:
    """A refusal is exit code 2 with the reason on stderr; all else is silence."""
    if decision is Decision.FORBIDDEN:
        return Reply(stderr=reason + "\n", code=2)
    return Reply()
