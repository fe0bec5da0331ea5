"""opencode: no hook of its own; a plugin that ships with this package asks and carries out.

The plugin sends `{"tool", "args", "cwd", "session"}` and gets `{"decision", "reason"}`.
"""

from execpolicy.agents import tools
from execpolicy.agents.base import Call, Reply
from execpolicy.agents.payload import hint
from execpolicy.decision import Decision
from execpolicy.jsonlite import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.agents.base import Payload


EVENTS = ("evaluate",)


def read(payload: "Payload") -> Call:
    """The call of a tool."""
    where = {"cwd": hint(payload, "cwd"), "session_id": hint(payload, "session")}
    request = tools.of({**payload, **where}, "opencode", ("tool", "args"))
    return Call(request, EVENTS[0], hint(payload, "root", "cwd"))


def asks(call: Call) -> bool:
    """The plugin turns PROMPT into a question in both generations of the host."""
    return True


def reply(call: Call, decision: Decision, reason: str) -> Reply:
    """The decision by its name, for the plugin."""
    return Reply(encode({"decision": decision.word, "reason": reason}) + "\n")
