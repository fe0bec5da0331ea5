"""Factory Droid: the hooks of Claude Code; its shell tool is called `Execute`."""

from execpolicy.hosts.payloads.protocol import PLAN, UNATTENDED, UNSURE, Call
from execpolicy.hosts.protocols import claude

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.hosts.payloads.protocol import Payload

EVENTS, asks, reply = claude.COMMON, claude.asks, claude.reply
MODES = {
    "default": UNSURE,
    "acceptEdits": UNSURE,
    "plan": PLAN,
    "dontAsk": UNATTENDED,
    "bypassPermissions": UNATTENDED,
}


def read(payload: "Payload") -> Call:
    """The call of an event."""
    return claude.read_as("droid", payload, MODES)
