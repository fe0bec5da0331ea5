"""What every agent's host has in common: a call comes in, a decision goes out in the host's form.

A host is one module of this package that fits `Agent`, and one line in `AGENTS`.
"""

from execpolicy.decision import Decision
from execpolicy.errors import ExecPolicyError
from execpolicy.operation import Request
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    Payload = dict[str, Any]
else:
    Protocol = object


class PayloadError(ExecPolicyError):
    """A payload that is none: not JSON, or a field that is missing or of another type."""


class Call(Value):
    """What an agent is about to do.

    `request` is None where the engine has no say: a tool that touches neither commands nor files
    nor hosts. `event` is the host's name for the moment, in the spelling its answer needs.
    `root` is where the session runs, whose project rules hold wherever the call moves to.
    `unasked`: the payload says that the host will ask nobody. `edits`: the person lets the host
    change files without a question, so a question that only the posture asks is answered already.
    """

    request: Request | None = None
    event: str = ""
    root: str | None = None
    unasked: bool = False
    edits: bool = False


class Reply(Value):
    """What the process says: its output, and its exit code."""

    stdout: str = ""
    stderr: str = ""
    code: int = 0


class Agent(Protocol):
    """A host's protocol. Each is a module; these are its functions.

    `EVENTS` are the moments that ask for a decision, by the host's names.
    """

    EVENTS: tuple[str, ...]

    def read(self, payload: "Payload") -> Call:
        """The call in a payload. Raises `PayloadError`."""

    def asks(self, call: Call) -> bool:
        """Whether the answer PROMPT makes the host ask a person, whatever its own settings."""

    def reply(self, call: Call, decision: Decision, reason: str) -> Reply:
        """The answer. What a host cannot say becomes silence, and never more than was decided."""
