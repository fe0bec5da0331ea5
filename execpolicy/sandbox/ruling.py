"""Which decision counts for a confined run, and why."""

from execpolicy.model.confinement import Confinement
from execpolicy.model.decision import Decision
from execpolicy.model.verdict import Source
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.verdict import Match, Verdict
    from execpolicy.sandbox.look.git import GitUse


class Ruling(Value):
    """A decision and its reason in one line."""

    decision: Decision
    reason: str


def ruling(verdict: "Verdict", settings: Confinement, confined: bool, use: "GitUse") -> Ruling:
    """What counts for a run. `confined` asks only about what the walls do not hold.

    With `auto_allow` the walls hold every path and every effect, so that only rules about a command
    by its words are left, and a policy that could not be loaded.
    """
    if not confined:
        return Ruling(verdict.decision, verdict.reason)
    if not settings.auto_allow:
        if verdict.confined is Decision.ALLOW and use.refusal:
            return Ruling(Decision.FORBIDDEN, use.refusal)
        return Ruling(verdict.confined, _reason(verdict))
    said = [m for m in verdict.matches if _is_about_words(m) and m.decision]
    if verdict.floor:
        return Ruling(Decision.PROMPT, verdict.floor)
    strictest = max(said, key=lambda match: match.decision, default=None)
    if strictest is None:
        return Ruling(Decision.ALLOW, "the sandbox contains what it does")
    return Ruling(strictest.decision, strictest.sentence)


def runs_unknown(verdict: "Verdict") -> bool:
    """Whether the sandbox alone lets a program run that is not known."""
    return any(m.inside is not m.decision and "unknown" in m.effects for m in verdict.matches)


def _reason(verdict: "Verdict") -> str:
    """Why a verdict asks or refuses in the sandbox too: the worst that would happen."""
    said = [m for m in verdict.matches if m.inside and m.inside is verdict.confined]
    worst = min(said, key=lambda match: match.severity, default=None)
    return worst.sentence if worst else verdict.floor or verdict.reason


def _is_about_words(match: "Match") -> bool:
    """Whether a rule for the words of a command said it."""
    return match.source is Source.RULE and bool(match.prefix)
