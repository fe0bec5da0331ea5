"""What a check found: a diagnostic, the place of another rule, and how to repair it."""

from execpolicy.model.errors import Diagnostic, Span
from execpolicy.support.record import Value


class Edit(Value):
    """Characters from `start` to `end` of a file's text are replaced by `text`."""

    start: int
    end: int
    text: str


class Finding(Value):
    """A diagnostic. `other` is the place of the rule it is about besides its own, `edits` are what
    repairs it without a change of meaning, none where only the user can."""

    diagnostic: Diagnostic
    other: Span | None = None
    edits: tuple[Edit, ...] = ()

    @property
    def code(self) -> str:
        """The stable code, which is also the name of its page."""
        return self.diagnostic.code

    @property
    def span(self) -> Span:
        """Where it is."""
        return self.diagnostic.span
