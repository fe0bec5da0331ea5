"""Factory Droid: the hooks of Claude Code; its shell tool is called `Execute`."""

from execpolicy.agents import claude
from execpolicy.agents.base import NOBODY, PLAN, UNSURE, Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.agents.base import Payload

EVENTS, asks, reply = claude.EVENTS, claude.asks, claude.reply
MODES = {
    "default": UNSURE,
    "acceptEdits": UNSURE,
    "plan": PLAN,
    "dontAsk": NOBODY,
    "bypassPermissions": NOBODY,
}


def read(payload: "Payload") -> Call:
    """The call of an event."""
    return claude.read_as("droid", payload, MODES)
