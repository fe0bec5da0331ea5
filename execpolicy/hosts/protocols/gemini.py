"""Gemini CLI: BeforeTool (docs/hooks/reference.md of google-gemini/gemini-cli).

`deny` refuses, `ask` forces the question, `allow` leaves the host's own policy in charge. Where
no user is there to answer, the host waits for ever for an answer to `ask` (seen with 0.61); a hook
can tell where the variables of a CI say so, by which the host decides the same. In which mode the
host is, it does not tell.
"""

import os

from execpolicy.hosts.payloads import tools
from execpolicy.hosts.payloads.payload import hint, text
from execpolicy.hosts.payloads.protocol import (
    ASKS,
    EDITS,
    PLAN,
    UNATTENDED,
    UNSURE,
    WORDS,
    Payload,
    Reply,
    ToolCall,
)
from execpolicy.model.decision import Decision
from execpolicy.support.json_encode import encode

EVENTS = ("BeforeTool",)
HEADLESS: tuple[str, ...] = ("-p", "--prompt")
MODES = {"default": ASKS, "auto_edit": EDITS, "plan": PLAN, "yolo": UNATTENDED}


def read(payload: "Payload") -> ToolCall:
    """The call of a BeforeTool event."""
    event = text(payload, "hook_event_name")
    if event not in EVENTS:
        return ToolCall()
    used = tools.of(payload, "gemini", ("tool_name", "tool_input"))
    mode = UNATTENDED if unattended() else UNSURE
    return ToolCall(used.request, event, hint(payload, "cwd"), mode, used.tool, used.kind)


def unattended() -> bool:
    """Whether the host runs in a CI; of its variables it may pass on the last alone."""
    said = (os.environ.get("CI"), os.environ.get("GITHUB_ACTIONS"))
    return "true" in said or "GITHUB_ENV" in os.environ


def asks(call: ToolCall) -> bool:
    """The answer `ask` overrides the host's policy, where a user is there."""
    return not unattended()


def reply(call: ToolCall, decision: Decision | None, reason: str) -> Reply:
    """One object; nothing else may stand on stdout."""
    if decision is None:
        return Reply()
    said = {"decision": WORDS[decision]}
    if decision:
        said["reason"] = reason  # the model reads it; the user sees the other
        if call.question:
            said["systemMessage"] = call.question
    return Reply(encode(said) + "\n")
