"""What keeps a rule of one side from being about an example that its like decides on the other."""

from collections.abc import Iterator
from typing import NamedTuple

from execpolicy.model.operation import Access, Exec, Operation
from execpolicy.model.rule import (
    NetworkRule,
    Origin,
    PathRule,
    Pattern,
    PlaceRule,
    PrefixRule,
    is_prefix,
)
from execpolicy.model.verdict import Verdict
from execpolicy.prove.side import HOME, ROOT, Side
from execpolicy.support.path_match import PathPattern

AnyRule = PrefixRule | PathRule | NetworkRule
LIMITS = ("methods", "ports", "programs")
"""The arguments of a rule without which it is about all of them."""
_CONDITIONS = ("options", "places", "hosts", "effects")
_NOWHERE = Origin("", "", 0)


class LeftOut(NamedTuple):
    """A rule or a declaration of one side that is not about the example for an `argument`: for the
    words that its `unless` has, or that its `hosts`, `modes` and so on have not. One of `LIMITS`
    has no others than its words; `exact` has none."""

    argument: str
    words: tuple[str, ...]
    origin: Origin


def left_out(
    decided: AnyRule | None, at: Origin | None, sides: tuple[Side, Side], judged: Verdict
) -> LeftOut | None:
    """What of the second side leaves the example out, if anything does: a rule that decides as the
    one that `decided` on the first, or a declaration about the class that the line `at` declared.
    What both sides have leaves out nothing."""
    operations = [each.operation for each in judged.judged]
    old: Iterator[AnyRule | PlaceRule]
    new: Iterator[AnyRule | PlaceRule]
    if decided is not None:
        old, new = map(rules_of, sides)
    else:
        places = {rule.place for rule in sides[0].declared() if rule.origin == at}
        old, new = ((r for r in side.declared() if r.place in places) for side in sides)
    found = [(rule, *each) for rule in new for each in _left(rule, decided, operations)]
    known = set(map(anywhere, old)) if found else ()
    for rule, argument, words in found:
        if anywhere(rule) not in known:
            return LeftOut(argument, words, rule.origin)
    return None


def rules_of(side: Side) -> Iterator[AnyRule]:
    """All rules of a side, of each kind."""
    yield from side.policy.rules
    yield from side.policy.paths.rules
    yield from side.policy.network


def anywhere(rule: "AnyRule | PlaceRule") -> "AnyRule | PlaceRule":
    """What a rule says, wherever it stands."""
    return rule.replace(origin=_NOWHERE)


def _left(
    rule: AnyRule | PlaceRule, decided: AnyRule | None, operations: list[Operation]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The arguments for which a rule is not about the operations, though it would be."""
    if isinstance(rule, PlaceRule):
        paths = [str(each.path) for each in operations if isinstance(each, Access)]
        yield from (("unless", (p,)) for p in rule.unless if any(_fits(p, path) for path in paths))
    elif decided is None or rule.decision != decided.decision:
        return
    elif isinstance(rule, PathRule) and isinstance(decided, PathRule):
        if rule.paths == decided.paths or rule.modes == decided.modes:
            yield from _gone("modes", decided.modes, rule.modes)
            yield from _gone("paths", decided.paths, rule.paths)
            yield from _limited("programs", rule.programs, decided.programs)
    elif isinstance(rule, NetworkRule) and isinstance(decided, NetworkRule):
        if (rule.host, rule.protocol) == (decided.host, decided.protocol):
            yield from _limited("methods", rule.methods, decided.methods)
            yield from _limited("ports", rule.ports, decided.ports)
    elif isinstance(rule, PrefixRule) and isinstance(decided, PrefixRule):
        commands = [each.argv for each in operations if isinstance(each, Exec)]
        for argv in (argv for argv in commands if rule.fits(argv)):
            excepted = (p for p in rule.unless if is_prefix(p, argv, rule.canonical))
            yield from (("unless", (pattern_words(each),)) for each in excepted)
        yield from _narrower(rule, decided)


def _limited(
    argument: str, has: tuple[object, ...], decided: tuple[object, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    if has and not decided:
        yield argument, tuple(map(str, has))


def _narrower(rule: PrefixRule, decided: PrefixRule) -> Iterator[tuple[str, tuple[str, ...]]]:
    if rule.pattern != decided.pattern:
        return
    if rule.exact and not decided.exact:
        yield "exact", ()
    for argument in _CONDITIONS if rule.conditions and decided.conditions else ():
        has, wanted = (getattr(r.conditions, argument) for r in (rule, decided))
        yield from _gone(argument, wanted, has)


def _gone(
    argument: str, old: tuple[str, ...], new: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    gone = tuple(each for each in old if each not in new)
    if gone and new:
        yield argument, gone


def _fits(pattern: str, path: str) -> bool:
    return PathPattern(pattern).matches(path, HOME, ROOT)


def pattern_words(pattern: Pattern) -> str:
    """A pattern as the words of a command, alternatives with a line between them."""
    return " ".join("|".join(tokens) for tokens in pattern)
