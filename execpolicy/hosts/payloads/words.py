"""The reason of a verdict for its reader: the model on a denial, the user on a question."""

from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.verdict import Verdict
    from execpolicy.model.wording import QuestionSummary

MAX_CHARS = 1500
FORBIDS, NEEDS = "execpolicy forbids this", "needs approval"
"""How a refusal begins: of what is forbidden, and of what only the user may let pass."""


def reason(verdict: "Verdict") -> str:
    """What a host shows with this verdict, on one line; a model may read it."""
    if verdict.decision is Decision.ALLOW:
        return f"execpolicy: {verdict.reason}"
    asked = _question(verdict)
    said = "; ".join((asked.worst, *(f"{label}: {text}" for label, text in asked.lines)))
    if verdict.decision is Decision.FORBIDDEN:
        tail = "Do not try it in another form; do what the reason says, or ask the user."
        return printable(f"{FORBIDS}: {said}. {tail}", MAX_CHARS)
    return printable(f"execpolicy asks: {said}", MAX_CHARS)


def full_question(verdict: "Verdict") -> str:
    """The question in lines for the user alone: what is worst first, and how to allow it."""
    asked = _question(verdict)
    lines = [f"execpolicy asks: {asked.worst}"]
    lines += [f"{label}: {text}" for label, text in asked.lines]
    lines += [f"to allow it from now on: {command}" for command in asked.commands]
    return "\n".join(printable(line, MAX_CHARS) for line in lines)


def _question(verdict: "Verdict") -> "QuestionSummary":
    """What is asked; a reply that is given again needs nothing of it."""
    from execpolicy.model.wording import question

    return question(verdict)


def unasked(why: str, code: str = "", *, child: bool = False) -> str:
    """A question for a host that cannot ask the user, as a denial that the model can act on.

    `code` is that of the question that waits. A sub-agent (`child`) speaks to no user.
    """
    if not code:
        return f"{NEEDS}, and the user cannot be asked here: {why}"
    whom = "say in your report" if child else "tell the user"
    return (
        f"{NEEDS} {code}, and the user cannot be asked here: {why}. Go on with something"
        f" else, and {whom} that `execpolicy approve {code}` lets this call pass once"
    )


def answered(code: str, outcome: str, because: str | None) -> str:
    """What the user said already, for the model: no, or yes a moment ago."""
    if outcome == "allowed":
        return f"{NEEDS} {code}, which the user gave just now: make the call again"
    said = printable(because, 500) if because else "do not try it in another form"
    return f"the user rejected this call ({code}): {said}"


def undecided(why: str) -> str:
    """What is said where there is no verdict."""
    return printable(f"execpolicy could not decide: {why}", MAX_CHARS)
