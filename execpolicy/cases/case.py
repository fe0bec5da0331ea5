"""A case: a command, and the decision that is expected about it."""

from execpolicy.model.decision import Decision
from execpolicy.model.errors import Diagnostic, Span
from execpolicy.support.record import Value


class Case(Value):
    """A script text or the words of one command, and what is expected.

    `because` is a text that one of the verdict's reasons holds. `span` is where the case stands,
    `row` its number in a table, counted from 0.
    """

    command: str | tuple[str, ...]
    decision: Decision
    span: Span
    because: str | None = None
    cwd: str | None = None
    shell: str | None = None
    row: int | None = None

    @property
    def shown(self) -> str:
        """The command as one line."""
        return self.command if isinstance(self.command, str) else " ".join(self.command)


class Suite(Value):
    """One file of cases: the rules it is about, its cases, and what is wrong with it."""

    file: str
    rules: tuple[str, ...]
    builtin: bool
    cases: tuple[Case, ...]
    problems: tuple[Diagnostic, ...] = ()
