"""Factory Droid: the hooks of Claude Code; its shell tool is called `Execute`."""

from execpolicy.agents import claude
from execpolicy.agents.base import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.agents.base import Payload

EVENTS, asks, reply = claude.EVENTS, claude.asks, claude.reply


def read(payload: "Payload") -> Call:
    """The call of an event."""
    return claude.read_as("droid", payload)
