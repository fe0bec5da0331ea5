"""What a script does, as its reader says it."""

from execpolicy.model.operation import Access, Variable
from execpolicy.support.record import Value

MAX_CHARS = 20_000


class Effect(Value):
    """An effect of a script, the reason in words, and the file or variable it is about."""

    effect: str
    why: str
    subject: Access | Variable | None = None


class ShellText(Value):
    """A text in a script that `sh` runs: its effects are those of the text."""

    text: str
