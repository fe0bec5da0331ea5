"""Repairs what can be repaired without a change of meaning."""

from collections.abc import Iterable

from execpolicy.lint.finding import Edit, Finding


def apply_edits(text: str, findings: Iterable[Finding]) -> str:
    """The text with all edits made that do not overlap one made before.

    >>> fixed("abc", [])
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
