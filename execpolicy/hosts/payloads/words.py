"""The reason of a verdict for its reader: the model on a denial, the user on a question."""

from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.verdict import Verdict
from execpolicy.model.wording import question

MAX_CHARS = 1500


def reason(verdict: Verdict) -> str:
    """What a host shows with this verdict, on one line; a model may read it."""
    if verdict.decision is Decision.ALLOW:
        return f"execpolicy: {verdict.reason}"
    asked = question(verdict)
    said = "; ".join((asked.worst, *(f"{label}: {text}" for label, text in asked.lines)))
    if verdict.decision is Decision.FORBIDDEN:
        tail = "Do not try it in another form; do what the reason says, or ask the user."
        return printable(f"execpolicy forbids this: {said}. {tail}", MAX_CHARS)
    return printable(f"execpolicy asks: {said}", MAX_CHARS)


def full_question(verdict: Verdict) -> str:
    """The question in lines for the user alone: what is worst first, and how to allow it."""
    asked = question(verdict)
    lines = [f"execpolicy asks: {asked.worst}"]
    lines += [f"{label}: {text}" for label, text in asked.lines]
    lines += [f"to allow it from now on: {command}" for command in asked.commands]
    return "\n".join(printable(line, MAX_CHARS) for line in lines)


def unasked(why: str) -> str:
    """A question for a host that never asks the user, as a denial that the model can act on."""
    return f"needs approval, and the user cannot be asked here: {why}"


def undecided(why: str) -> str:
    """What is said where there is no verdict."""
    return printable(f"execpolicy could not decide: {why}", MAX_CHARS)
