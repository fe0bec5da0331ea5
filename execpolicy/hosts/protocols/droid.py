"""Factory Droid: the hooks of Claude Code; its shell tool is called `Execute`."""

from execpolicy.hosts.payloads.protocol import PLAN, UNATTENDED, UNSURE, Payload, ToolCall
from execpolicy.hosts.protocols import claude

EVENTS, asks, reply = claude.COMMON, claude.asks, claude.reply
HEADLESS: tuple[str, ...] = ("exec",)
MODES = {
    "default": UNSURE,
    "acceptEdits": UNSURE,
    "plan": PLAN,
    "dontAsk": UNATTENDED,
    "bypassPermissions": UNATTENDED,
}


def read(payload: "Payload") -> ToolCall:
    """The call of an event."""
    return claude.read_as("droid", payload, MODES)
