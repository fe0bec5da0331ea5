"""Qwen Code: the hooks of Claude Code, at other moments.

PreToolUse comes after the user was asked: it grants nothing, and `ask` refuses (Qwen Code 0.15.10).
PermissionRequest comes when the host is about to ask.
"""

from execpolicy.hosts.payloads.protocol import (
    ASKS,
    EDITS,
    PLAN,
    UNATTENDED,
    Payload,
    Reply,
    ToolCall,
)
from execpolicy.hosts.protocols import claude
from execpolicy.model.decision import Decision

EVENTS = claude.COMMON
HEADLESS: tuple[str, ...] = ("-p", "--prompt")
MODES = {"default": ASKS, "auto-edit": EDITS, "plan": PLAN, "yolo": UNATTENDED}


def read(payload: "Payload") -> ToolCall:
    """The call of an event."""
    return claude.read_as("qwen", payload, MODES)


def asks(call: ToolCall) -> bool:
    """Only where the host was about to ask anyway."""
    return call.event == "PermissionRequest"


def reply(call: ToolCall, decision: Decision | None, reason: str) -> Reply:
    """The decision for the event, in the form of Claude Code."""
    return claude.reply(call, decision, reason)
