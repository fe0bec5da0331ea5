"""The reason of a verdict for its reader: the model on a denial, the person on a question."""

from execpolicy.decision import Decision
from execpolicy.errors import printable
from execpolicy.verdict import Match, Verdict

MAX_VOICES = 3
MAX_CHARS = 1500


def reason(verdict: Verdict) -> str:
    """What a host shows with this verdict, on one line."""
    if verdict.decision is Decision.ALLOW:
        return f"execpolicy: {verdict.reason}"
    said = "; ".join(_voices(verdict)) or printable(verdict.floor or verdict.reason, 300)
    if verdict.decision is Decision.FORBIDDEN:
        tail = "Do not try it in another form; do what the reason says, or ask the person."
        return printable(f"execpolicy forbids this: {said}. {tail}", MAX_CHARS)
    said = f"execpolicy asks: {said}"
    if verdict.amendments:
        rules = " ".join(a.rule for a in verdict.amendments)
        said += f". To allow it from now on: {rules}"
    return printable(said, MAX_CHARS)


def unasked(why: str) -> str:
    """A question for a host that asks nobody, as a denial that the model can act on."""
    return f"needs approval, and nobody can be asked here: {why}"


def undecided(why: str) -> str:
    """What is said where there is no verdict."""
    return printable(f"execpolicy could not decide: {why}", MAX_CHARS)


def _voices(verdict: Verdict) -> list[str]:
    """What asks for the decision, and where that is written. Rules speak before the catalogue."""
    found = [m for j in verdict.judged for m in j.matches if m.decision is verdict.decision]
    found.sort(key=lambda m: m.source != "rule")
    voices = list(dict.fromkeys(map(_voice, found)))
    more = len(voices) - MAX_VOICES
    return voices[:MAX_VOICES] + ([f"and {more} more"] if more > 0 else [])


def _voice(match: Match) -> str:
    return printable(match.why, 300) + (f" [{match.origin}]" if match.origin else "")
