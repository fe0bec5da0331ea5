"""Cursor: beforeShellExecution, beforeMCPExecution, preToolUse, beforeReadFile.

(cursor.com/docs/hooks) The editor honours all three answers, its command line only the denial and
else its own list. Versions before 2 spell the messages in camel case; each is sent in the spelling
that the payload's version reads.
"""

from execpolicy.hosts.payloads import tools
from execpolicy.hosts.payloads.payload import added, hint, text
from execpolicy.hosts.payloads.protocol import (
    ASKS,
    UNATTENDED,
    UNSURE,
    WORDS,
    Payload,
    Reply,
    ToolCall,
)
from execpolicy.hosts.payloads.tools import Used
from execpolicy.model.decision import Decision
from execpolicy.support.json_encode import encode

EVENTS = ("beforeShellExecution", "beforeMCPExecution", "preToolUse", "beforeReadFile")
HEADLESS: tuple[str, ...] = ("-p", "--print")
MODES = {"default": ASKS, "allowlist": ASKS, "force": UNATTENDED, "unrestricted": UNATTENDED}


def read(payload: "Payload") -> ToolCall:
    """The call of an event."""
    event = text(payload, "hook_event_name")
    if event not in EVENTS:
        return ToolCall()
    old = (hint(payload, "cursor_version") or "").startswith(("0.", "1."))
    root = _root(payload)
    used = _used(event, payload, {**payload, "cwd": hint(payload, "cwd") or root})
    shown = event + (" 1" if old else "")
    request = used.request and used.request.replace(roots=added(payload, "workspace_roots"))
    return ToolCall(
        request,
        shown,
        root,
        UNSURE,
        used.tool,
        used.kind,
        named=root is not None,
    )


def _used(event: str, payload: "Payload", where: "Payload") -> "Used":
    if event == "beforeShellExecution":
        return tools.request("shell", payload, "cursor", where)
    if event == "beforeReadFile":
        return tools.request("read", payload, "cursor", where)
    if event == "beforeMCPExecution":
        return tools.request("mcp_tool", payload, "cursor", where)
    return tools.of(where, "cursor", ("tool_name", "tool_input"))


def _root(payload: "Payload") -> str | None:
    """The first workspace. `cwd` may be empty where it is meant."""
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return first if isinstance(first, str) and first else hint(payload, "cwd")


def asks(call: ToolCall) -> bool:
    """The editor asks. The command line ignores the answer and asks by its own permissions."""
    return True


def reply(call: ToolCall, decision: Decision | None, reason: str) -> Reply:
    """The answer; the reason goes to both readers, for the model is shown either of them."""
    if decision is None:
        return Reply()
    said = {"permission": WORDS[decision]}
    if decision:
        old = call.event.endswith(" 1")
        said["userMessage" if old else "user_message"] = reason  # the model is shown it, too
        said["agentMessage" if old else "agent_message"] = reason
    return Reply(encode(said) + "\n")
