"""When two sets of rules that match the same commands need no look at what those do.

The conditions of rules, the effects of commands and their places are finitely many; but most
changes are plain: a rule more that asks, one less that allows.
"""

from collections.abc import Collection

from execpolicy.catalogue.conditions.granted import REACHING
from execpolicy.model.decision import Decision
from execpolicy.model.program import CONTAINED, EFFECTS
from execpolicy.model.rule import BASES, OVERLAYS, TEXT, PrefixRule
from execpolicy.prove.side import Side
from execpolicy.support.record import Value

Cell = tuple[str, tuple[str, ...]]

ALLOW, FORBIDDEN = Decision.ALLOW, Decision.FORBIDDEN
_PLACES = ((), *((place,) for place in (*BASES, *OVERLAYS, TEXT)))
_CELLS = tuple((effect, places) for effect in EFFECTS for places in _PLACES)


def cells(old: Side, new: Side) -> tuple[list[Cell], list[Cell]]:
    """The effects and places in which the new posture is looser, and those where it differs."""
    looser, other = [], []
    for effect, places in _CELLS:
        before = old.defaults.decide(effect, places), old.defaults.confined(effect, places)
        after = new.defaults.decide(effect, places), new.defaults.confined(effect, places)
        if after != before:
            other.append((effect, places))
        if any(b < a for a, b in zip(before, after, strict=True)):
            looser.append((effect, places))
    return looser, other


def forbids(side: Side) -> bool:
    """Whether a posture refuses something, which a rule that asks then allows to be asked about."""
    return any(side.defaults.decide(*cell) is FORBIDDEN for cell in _CELLS)


def asking(side: Side) -> frozenset[str]:
    """The effects that a posture asks about, and that no sandbox contains."""
    held = CONTAINED | {"network", "destroy"}  # as far as the place, or the host, says so
    return frozenset(
        e for e in EFFECTS if e not in held and side.defaults.decide(e) is Decision.PROMPT
    )


class Surroundings(Value):
    """What a decision rests on beside the rules that match, as far as shortcuts need it.

    `steady`: nothing of it is looser in the new policy. `forbids`: the old posture forbids
    something, so a rule that asks may lower that. `narrow`: what is beyond an allow rule asks for
    more than the posture does in some place. `open`: the new posture allows to reach machines.
    """

    steady: bool
    forbids: bool
    narrow: bool
    open: bool

    @staticmethod
    def of(old: Side, new: Side, steady: bool) -> "Surroundings":
        """Those of two policies."""
        narrow = any(new.defaults.decide(e, p) < old.defaults.decide(e) for e, p in _CELLS if p)
        reached = any(new.defaults.decide(effect) is ALLOW for effect in REACHING)
        return Surroundings(steady, forbids(old), narrow, reached)


def never_looser(
    old: Collection[PrefixRule], new: Collection[PrefixRule], around: Surroundings
) -> bool:
    """Whether the new rules are at least as strict about every command that both sets match."""
    tight = [rule for rule in new if rule.decision is not ALLOW]
    if any(rule.decision is FORBIDDEN and rule.conditions is None for rule in tight):
        return True
    if not around.steady:
        return False
    kept = all(_is_kept(rule, tight) for rule in old if rule.decision is not ALLOW)
    allowing = [rule for rule in new if rule.decision is ALLOW]
    if not kept or any(rule not in old for rule in allowing):
        return False
    if around.forbids and _may_replace(old, tight):
        return False
    lost = [rule for rule in old if rule.decision is ALLOW and rule not in allowing]
    return not any(_may_ask(rule, allowing, around) for rule in lost)


def _is_kept(rule: PrefixRule, tight: list[PrefixRule]) -> bool:
    """Whether one of these asks at least where the rule does, for as much."""
    return any(
        other.decision >= rule.decision and other.conditions in (None, rule.conditions)
        for other in tight
    )


def _may_replace(old: Collection[PrefixRule], tight: list[PrefixRule]) -> bool:
    """Whether a rule that is new, and only asks, answers where the posture refused before."""
    plain = any(rule.conditions is None and not rule.confined for rule in old)
    added = [rule for rule in tight if rule not in old]
    return any(
        (not plain if rule.conditions is None else bool(rule.conditions.effects)) for rule in added
    )


def _may_ask(rule: PrefixRule, left: list[PrefixRule], around: Surroundings) -> bool:
    """Whether an allow rule that is gone made something ask that the posture allows."""
    if rule.confined:
        return False
    if rule.conditions is None:
        plain = any(other.conditions is None and not other.confined for other in left)
        return not plain and (around.narrow or around.open)
    effects = rule.conditions.effects
    return around.open and (not effects or not REACHING.isdisjoint(effects))
