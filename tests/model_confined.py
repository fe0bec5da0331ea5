"""What the two decisions of a verdict mean: run as it is, and run in the sandbox (`confined`).

The sandbox holds what is written and what code does, wherever no word says that it leads out. It
holds no `remote`, `system` or `privilege`. What was destroyed is brought back where a build makes
it again, or where a snapshot of the project holds it (`undo`): that counts as written. What a rule
or the reader asks is asked inside, too.
"""

from collections.abc import Collection, Mapping, Sequence

from execpolicy.model.decision import Decision
from execpolicy.model.rule import PrefixRule
from tests import model_conditions
from tests.model_conditions import Fact

Table = Mapping[str, Mapping[str, Decision]]
"""Effect → place → decision; the empty place is what holds for the others."""

ALLOW, PROMPT, FORBIDDEN = Decision
OVERLAYS = frozenset(("control", "credentials", "policy"))


def stated(table: Table, effect: str, places: Collection[str]) -> Decision:
    """The strictest that a posture says; generated is project unless more is said."""

    def at(place: str) -> Decision:
        said = table[effect]
        wider = "project" if place == "generated" else ""
        return said.get(place, said.get(wider, said.get("", PROMPT)))

    return max(map(at, places or ("",)))


def outside(fact: Fact, table: Table) -> Decision:
    """What the posture says about an effect. What is `remote` is also `network`."""
    decision = stated(table, fact.effect, fact.places)
    raised = fact.effect == "remote" and stated(table, "network", ()) > stated(table, "remote", ())
    return stated(table, "network", fact.places) if raised else decision


def contained(fact: Fact) -> Collection[str] | None:
    """The places that the walls hold an effect in; None where they hold nothing of it."""
    if fact.effect in ("write", "execute"):
        known = fact.places if fact.sure else fact.places - {"elsewhere"}
        return known or {"project"}
    if fact.effect == "destroy":
        return fact.places if fact.places == {"generated"} else None
    return () if fact.effect == "network" and fact.host is None else None


def inside(fact: Fact, table: Table, confined: Table) -> Decision:
    """The same in the sandbox: never stricter than outside of it."""
    before, places = outside(fact, table), contained(fact)
    if places is None:
        return before
    held = min(before, stated(table, fact.effect, places))
    return min(held, stated(confined, fact.effect, places)) if confined.get(fact.effect) else held


def held(fact: Fact, facts: Sequence[Fact], table: Table) -> bool:
    """Whether a snapshot of the project holds what is destroyed. Where no path is named it does if
    the command changes nothing but files, and all that it names lie in the project."""
    free = {"temporary"} if stated(table, "destroy", {"temporary"}) is ALLOW else set()
    known = {"project", "generated", "elsewhere", *OVERLAYS, *free}
    if fact.places:
        return fact.places <= known
    named = [other for other in facts if other.places]
    files = {other.effect for other in facts} <= {"write", "destroy"}
    return files and bool(named) and all(other.places <= known for other in named)


def undone(fact: Fact, facts: Sequence[Fact], table: Table, confined: Table) -> Decision:
    """The decision in the sandbox where a snapshot is taken before."""
    before = inside(fact, table, confined)
    if fact.effect != "destroy" or before is not PROMPT or not held(fact, facts, table):
        return before
    return min(before, inside(Fact("write", None, fact.places, fact.sure), table, confined))


def decide(
    rules: Sequence[PrefixRule],
    facts: Sequence[Fact],
    table: Table,
    confined: Table,
    undo: bool = False,
) -> tuple[Decision, Decision]:
    """Both decisions about a command that all of these rules match."""
    said = [rule.decision for rule in rules if rule.decision]
    said += [
        max(PROMPT, stated(table, fact.effect, {place}))
        for fact in facts
        for place in fact.places & OVERLAYS
    ]
    if any(rule.conditions is None for rule in rules):
        return max([ALLOW, *said]), max([ALLOW, *said])  # it answers for the whole command
    hosts = {fact.host for fact in facts if fact.host}
    allowing = [rule for rule in rules if not rule.decision]

    def left(of: Sequence[PrefixRule]) -> list[Fact]:
        return [f for f in facts if not any(model_conditions.lifts(r, f, hosts) for r in of)]

    asking = left([rule for rule in allowing if not _is_confined(rule)])
    walled = [fact for fact in asking if fact in left(allowing)]
    within = [
        undone(f, facts, table, confined) if undo else inside(f, table, confined) for f in walled
    ]
    return (
        max([ALLOW, *said, *(outside(fact, table) for fact in asking)]),
        max([ALLOW, *said, *within]),
    )


def _is_confined(rule: PrefixRule) -> bool:
    return rule.confined
