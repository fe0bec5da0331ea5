"""What a proof comes to: nothing is looser, something is, or it cannot be told."""

from execpolicy.catalogue.conditions.open_tail import RUNNING
from execpolicy.catalogue.descend import descend
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.program import EFFECTS
from execpolicy.model.rule import NetworkRule, Origin, PathRule, PrefixRule, is_prefix
from execpolicy.model.verdict import Match, Source, Verdict
from execpolicy.policy.network_hosts import Attempt
from execpolicy.prove.side import FIELDS, Side, decisions
from execpolicy.support.record import Value

NO_LOOSER, LOOSER, CANNOT_TELL = "no looser", "looser", "cannot tell"


AnyRule = PrefixRule | PathRule | NetworkRule


class Reason(Value):
    """Why one side decides as it does, and where the rule or the entry stands that says so.

    `rule` is that rule. Where none decides, `posture` is where the one stands that does, if one
    does, in `places` alone where it does so not everywhere. `effects` are those of the example that
    are decided, of a rule that allows all that its words may do.
    """

    decision: Decision
    why: str
    origin: Origin | None = None
    rule: AnyRule | None = None
    posture: Origin | None = None
    effects: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


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
            was = reason_of(sides[0], before, field, old)
            now = reason_of(sides[1], after, field, new, was.effects)
            return Witness(kind, shown, request, field, was, now)
    return None


def reason_of(
    side: Side, verdict: Verdict, field: str, decision: Decision, about: tuple[str, ...] = ()
) -> Reason:
    """The match that makes a verdict what it is: first one that is `about` the effects that the
    other side decides otherwise; a rule before what the posture says, and then the worst."""
    inside = field == FIELDS[1]
    matches = [m for judged in verdict.judged for m in judged.matches]
    found = [m for m in matches if (m.in_sandbox if inside else m.decision) is decision]
    if not found:
        return Reason(decision, verdict.floor or "nothing asks")
    best = min(found, key=lambda m: (_is_beside(m, about), m.source is not Source.RULE, m.severity))
    if best.source is Source.RULE:
        rule = _rule(best, side)
        return Reason(decision, best.reason, best.origin, rule, None, _able(rule, best, side))
    reason = Reason(decision, best.reason, best.origin, None, None, best.effects)
    return (
        _by_posture(reason, best.places, side, inside)
        if best.source is Source.CATALOGUE
        else reason
    )


def _is_beside(match: Match, about: tuple[str, ...]) -> bool:
    everything = match.source is Source.RULE and not match.effects
    return bool(about) and not everything and set(about).isdisjoint(match.effects)


def _rule(match: Match, side: Side) -> AnyRule | None:
    """The rule that a match is of. One call may make several, of other words each."""
    policy = side.policy
    every: tuple[AnyRule, ...] = (*policy.rules, *policy.paths.rules, *policy.network)
    found = [rule for rule in every if rule.origin == match.origin]
    named = (r for r in found if isinstance(r, PrefixRule) and is_prefix(r.pattern, match.prefix))
    return next(named, found[0] if found else None)


def _able(rule: AnyRule | None, match: Match, side: Side) -> tuple[str, ...]:
    """All that the words of an allow rule may do, where they are those of one entry."""
    if not isinstance(rule, PrefixRule) or rule.decision:
        return match.effects
    words = tuple(tokens[0] for tokens in rule.pattern)
    entry = descend(words, side.catalogue).entry
    if entry is None or entry.children:
        return ()
    anyway = {effect for form in entry.forms for effect in form.effects}
    able = (entry.ceiling.keys() - RUNNING) | (RUNNING & anyway)
    return tuple(effect for effect in EFFECTS if effect in able)


def _by_posture(reason: Reason, places: tuple[str, ...], side: Side, inside: bool) -> Reason:
    """The same with the posture that decides. Who lets code run lets it do what it says."""
    of = side.defaults.confined if inside else side.defaults.decide
    for effect in (*reason.effects, "execute"):
        if of(effect, places) is reason.decision:
            posture = side.defaults.origin(effect, places, inside)
            where = () if of(effect) is reason.decision else places
            return reason.replace(posture=posture, effects=(effect,), places=where)
    return reason
