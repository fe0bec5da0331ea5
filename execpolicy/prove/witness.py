"""What a proof comes to: nothing is looser, something is, or it cannot be told."""

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.rule import Origin
from execpolicy.model.verdict import Verdict
from execpolicy.policy.network_hosts import Attempt
from execpolicy.prove.side import FIELDS, Side, decisions
from execpolicy.support.record import Value

NO_LOOSER, LOOSER, CANNOT_TELL = "no looser", "looser", "cannot tell"


class Reason(Value):
    """Why one side decides as it does, and where the rule stands that says so, if one does."""

    decision: Decision
    why: str
    origin: Origin | None = None


class Witness(Value):
    """A request that the new policy decides less strictly than the old one.

    `shown` is a command, a path or a host for the user; `field` is the decision that is looser.
    `attempt` is the connection through the proxy that only the proxy decides otherwise.
    """

    kind: str
    shown: str
    request: Request
    field: str
    old: Reason
    new: Reason
    attempt: Attempt | None = None


class Proof(Value):
    """All that was found. `unknown` are the reasons why something could not be told."""

    witnesses: tuple[Witness, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def answer(self) -> str:
        """One of NO_LOOSER, LOOSER and CANNOT_TELL: what is looser for certain comes first."""
        if self.witnesses:
            return LOOSER
        return CANNOT_TELL if self.unknown else NO_LOOSER

    def reversed(self) -> "Proof":
        """The same with the sides in their order in time, where it was made the other way round."""
        turned = (w.replace(old=w.new, new=w.old) for w in self.witnesses)
        return self.replace(witnesses=tuple(turned))


def looser(
    kind: str, shown: str, request: Request, sides: tuple[Side, Side], fields: tuple[str, ...]
) -> Witness | None:
    """The witness that a request is, if the new policy is less strict about it."""
    before = sides[0].judge(request)
    if not any(decisions(before)):
        return None  # nothing is looser than what is allowed
    after = sides[1].judge(request)
    pairs = zip(FIELDS, decisions(before), decisions(after), strict=True)
    for field, old, new in pairs:
        if field in fields and new < old:
            reasons = _reason(before, field, old), _reason(after, field, new)
            return Witness(kind, shown, request, field, *reasons)
    return None


def _reason(verdict: Verdict, field: str, decision: Decision) -> Reason:
    """The match that makes a verdict what it is; a rule before what the posture says."""
    inside = field == FIELDS[1]
    matches = [m for judged in verdict.judged for m in judged.matches]
    found = [m for m in matches if (m.in_sandbox if inside else m.decision) is decision]
    if not found:
        why = verdict.floor or "nothing asks"
        return Reason(decision, why)
    best = next((m for m in found if m.source == "rule"), found[0])
    by = " (no rule says else, the posture decides)" if best.posture and not best.origin else ""
    return Reason(decision, best.reason + by, best.origin)
