"""What a check found: a diagnostic, the place of another rule, and how it is repaired."""

from collections.abc import Iterable

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


def apply_edits(text: str, findings: Iterable[Finding]) -> str:
    """The text with all edits made that do not overlap one made before.

    >>> apply_edits("abc", [])
    'abc'
    """
    edits = sorted({e for f in findings for e in f.edits}, key=lambda e: (e.start, -e.end))
    parts, at = [], 0
    for edit in edits:
        if edit.start >= at and _outermost(edit, edits):
            parts += [text[at : edit.start], edit.text]
            at = edit.end
    return "".join([*parts, text[at:]])


def _outermost(edit: Edit, edits: Iterable[Edit]) -> bool:
    """Whether no other edit takes out more, with this one inside."""
    return not any(
        e is not edit and e.start <= edit.start and edit.end <= e.end and e != edit for e in edits
    )
