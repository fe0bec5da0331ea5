"""One call of a tool, as the user is shown it."""

from execpolicy.model.operation import Request
from execpolicy.support.record import Value


class Call(Value):
    """A tool that is about to run. `arguments` is their exact text as JSON, with sorted keys; `why`
    says why it is asked about, `remembered` whether an answer may be kept for the session, and
    `repeats` how often in a row exactly this call was made."""

    tool: str
    arguments: str
    shown: str = ""
    request: Request | None = None
    why: tuple[str, ...] = ()
    remembered: bool = True
    repeats: int = 1
