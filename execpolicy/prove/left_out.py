"""What of a new policy takes an example out of what decided it before."""

from collections.abc import Iterator
from typing import NamedTuple

from execpolicy.model.operation import Access, Exec, Operation
from execpolicy.model.rule import NetworkRule, Origin, PathRule, PlaceRule, PrefixRule
from execpolicy.model.verdict import Verdict
from execpolicy.prove.side import HOME, ROOT, Side
from execpolicy.support.path_match import PathPattern

AnyRule = PrefixRule | PathRule | NetworkRule
_NOWHERE = Origin("", "", 0)


class LeftOut(NamedTuple):
    """A rule or a declaration of the new side that is no longer about the example for its
    `argument`: `unless`, `options` or `modes`."""

    argument: str
    origin: Origin


def left_out(
    decided: AnyRule | None, at: Origin | None, sides: tuple[Side, Side], before: Verdict
) -> LeftOut | None:
    """What leaves the example out, if anything does: a rule that decides as the one that `decided`
    before, or a declaration about the class that the line `at` declared."""
    operations = [judged.operation for judged in before.judged]
    old: Iterator[AnyRule | PlaceRule]
    new: Iterator[AnyRule | PlaceRule]
    if decided is not None:
        old, new = map(rules_of, sides)
    else:
        places = {rule.place for rule in sides[0].declared() if rule.origin == at}
        old, new = ((r for r in side.declared() if r.place in places) for side in sides)
    known = set(map(anywhere, old))
    for rule in new:
        argument = _argument(rule, decided, operations)
        if argument and anywhere(rule) not in known:
            return LeftOut(argument, rule.origin)
    return None


def rules_of(side: Side) -> Iterator[AnyRule]:
    """All rules of a side, of each kind."""
    yield from side.policy.rules
    yield from side.policy.paths.rules
    yield from side.policy.network


def anywhere(rule: "AnyRule | PlaceRule") -> "AnyRule | PlaceRule":
    """What a rule says, wherever it stands."""
    return rule.replace(origin=_NOWHERE)


def _argument(
    rule: AnyRule | PlaceRule, decided: AnyRule | None, operations: list[Operation]
) -> str:
    """The argument of a rule for which it is not about the operations, though it would be."""
    if isinstance(rule, PlaceRule):
        paths = [str(each.path) for each in operations if isinstance(each, Access)]
        return "unless" if any(_excepts(rule, path) for path in paths) else ""
    if decided is None or rule.decision != decided.decision:
        return ""
    if isinstance(rule, PathRule) and isinstance(decided, PathRule):
        return "modes" if rule.paths == decided.paths and rule.modes != decided.modes else ""
    if isinstance(rule, PrefixRule) and isinstance(decided, PrefixRule):
        commands = [each.argv for each in operations if isinstance(each, Exec)]
        if any(rule.fits(argv) and rule.excepts(argv) for argv in commands):
            return "unless"
        alike = rule.pattern == decided.pattern and _options(rule) != _options(decided)
        return "options" if alike and _options(rule) else ""
    return ""


def _options(rule: PrefixRule) -> tuple[str, ...]:
    return rule.conditions.options if rule.conditions else ()


def _excepts(rule: PlaceRule, path: str) -> bool:
    return any(PathPattern(each).matches(path, HOME, ROOT) for each in rule.unless)
