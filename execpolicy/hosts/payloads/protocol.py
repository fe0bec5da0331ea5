"""What every agent's host has in common: a call comes in, a decision goes out in the host's form.

A host is one module of `hosts.protocols` that fits `Agent`, and one line in `AGENTS`.
"""

from _collections_abc import Mapping

from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError
from execpolicy.model.operation import Request
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

Payload = Mapping[str, object]

ASKS, STRICT, EDITS = "asks", "strict", "edits"
PLAN, UNATTENDED, UNSURE = "plan", "unattended", ""
"""What a host's mode means: it asks the user; about all that it does not know to be safe; about all
but changes of files; nothing is to be changed; the user is never asked; or it cannot be told."""
WORDS = {Decision.ALLOW: "allow", Decision.PROMPT: "ask", Decision.FORBIDDEN: "deny"}
"""What several hosts call a decision."""


class PayloadError(ExecPolicyError):
    """Not a valid payload: not JSON, or a field that is missing or of another type."""


class ToolCall(Value):
    """What an agent is about to do.

    `request` is None where the policy does not apply: a tool that touches no commands, files or
    hosts. `event` is the host's name for the moment, in the spelling its answer needs.
    `root` is where the session runs, whose project rules hold wherever the call moves to; `named`
    if the host says that this is its project's directory. `mode` is one of the six above, `tool`
    the host's name for its tool and `kind` its sort. `rules` is the host's own permission list,
    where it sends that along. `soft`: nothing but the posture asks, so that what the user said to
    the host for good still holds. `question` is the text for the hosts that show it to the
    user alone. `deferred`: the host is to end its run until the user has answered. `author` is
    `user` or `project` where the command stands in a file of theirs, not in a call of the model.
    """

    request: Request | None = None
    event: str = ""
    root: str | None = None
    mode: str = UNSURE
    tool: str = ""
    kind: str = ""
    rules: "tuple[object, ...] | None" = None
    soft: bool = False
    named: bool = False
    question: str = ""
    author: str = ""
    deferred: bool = False


class Reply(Value):
    """What the process says: its output, and its exit code."""

    stdout: str = ""
    stderr: str = ""
    code: int = 0


class Agent(Protocol):
    """A host's protocol. Each is a module; these are its functions.

    `EVENTS` are the moments that ask for a decision, by the host's names; of any other nothing is
    said. `MODES` has the meaning of each of the host's modes, by the host's names. `HEADLESS` are
    the words of its command line with which it cannot ask the user.
    """

    EVENTS: tuple[str, ...]
    HEADLESS: tuple[str, ...]
    MODES: "Mapping[str, str]"

    def read(self, payload: "Payload") -> ToolCall:
        """The call in a payload. Raises `PayloadError`."""

    def asks(self, call: ToolCall) -> bool:
        """Whether the answer PROMPT makes the host ask the user, or leaves it to do so."""

    def reply(self, call: ToolCall, decision: Decision | None, reason: str) -> Reply:
        """The answer; None is for the host to go its own way. What a host cannot say becomes
        silence, and never more than was decided."""


def meaning(modes: "Mapping[str, str]", name: str | None) -> str:
    """What a host's mode means, however it is spelled; where it is not known, nothing is sure."""
    plain = _plain(name or "")
    return next((modes[mode] for mode in modes if _plain(mode) == plain), UNSURE)


def is_mode(modes: "Mapping[str, str]", name: str) -> bool:
    """Whether a host has a mode of this name."""
    return any(_plain(mode) == _plain(name) for mode in modes)


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
