"""What the conditions of a rule mean, said once more without the engine.

A command is a set of facts: each effect, where it happens and how sure that is. A rule that allows
lifts facts; one that tightens applies where facts and options say so.
"""

from collections.abc import Collection, Mapping, Sequence

from execpolicy.model.decision import Decision
from execpolicy.model.rule import Conditions, PrefixRule
from execpolicy.support.record import Value

NO, MAYBE, YES = 0, 1, 2


class Fact(Value):
    """One effect: at which host or in which classes of places, and whether it is certain."""

    effect: str
    host: str | None = None
    places: frozenset[str] = frozenset()
    sure: bool = True


def about(effects: Collection[str], effect: str) -> bool:
    """Whether a rule that tightens is about an effect. What is `remote` is `network`."""
    return effect in effects or (effect == "remote" and "network" in effects)


def has(effects: Collection[str], facts: Sequence[Fact]) -> int:
    """Whether a command has one of the effects."""
    if any(fact.sure and about(effects, fact.effect) for fact in facts):
        return YES
    unclear = any(fact.effect == "unknown" or about(effects, fact.effect) for fact in facts)
    return MAYBE if unclear else NO


def lifts(rule: PrefixRule, fact: Fact, hosts: Collection[str]) -> bool:
    """Whether an allow rule answers for a fact. `hosts` are all that the command names."""
    wanted = rule.conditions or Conditions()
    if fact.effect == "unknown":
        return rule.exact and (not wanted.effects or "unknown" in wanted.effects)
    granted = {*wanted.effects, *(["network"] if "remote" in wanted.effects else [])}
    if wanted.effects and fact.effect not in granted:
        return False
    if fact.effect not in ("network", "remote"):
        return not wanted.places or fact.places <= set(wanted.places)
    at = {fact.host} if fact.host else set(hosts) or {"@configured"}
    leaves = at == {"@configured"} and not rule.exact and not fact.places <= {"project"}
    return not wanted.hosts or (at <= set(wanted.hosts) and not leaves)


def decide(
    rules: Sequence[PrefixRule],
    facts: Sequence[Fact],
    given: Mapping[str, int],
    posture: Mapping[str, Decision],
) -> Decision:
    """The decision about a command whose words all of these rules match."""
    hosts = {fact.host for fact in facts if fact.host}
    said = [Decision.ALLOW]
    for rule in rules:
        wanted = rule.conditions or Conditions()
        holds = min(
            has(wanted.effects, facts) if wanted.effects else YES,
            max(given.get(o, NO) for o in wanted.options) if wanted.options else YES,
        )
        if rule.decision and holds:
            said.append(rule.decision if holds is YES else Decision.PROMPT)
    if any(rule.conditions is None for rule in rules):
        return max(said)  # it answers for the whole command
    allow = [rule for rule in rules if not rule.decision]
    left = [f for f in facts if not any(lifts(rule, f, hosts) for rule in allow)]
    return max(said + [posture[fact.effect] for fact in left])
