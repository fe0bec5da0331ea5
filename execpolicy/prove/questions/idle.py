"""Whether one rule makes a difference for any command, or which rules decide in its place.

Words alone are compared in `inclusion/overlap.py`. What conditions ask for is known of commands
only, so each sort of command that the rule is about is decided with it and without it.
"""

from collections.abc import Iterator

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.rule import Origin, PrefixRule
from execpolicy.model.verdict import Verdict
from execpolicy.prove.commands import CommandSearch, requested
from execpolicy.prove.guards import Surroundings
from execpolicy.prove.inclusion.acceptors import TooHardError
from execpolicy.prove.inclusion.overlap import Overlap
from execpolicy.prove.inclusion.rule_table import NEW
from execpolicy.prove.policy_walk import PolicyWalk
from execpolicy.prove.samples import global_options
from execpolicy.prove.side import FIELDS, Side, decisions


class Tries:
    """How many sorts of commands may be tried, of one rule and of all together."""

    def __init__(self, each: int = 2_000, together: int = 20_000) -> None:
        self.each = each
        self.together = together

    def of_rule(self) -> int:
        """How many of one rule."""
        return min(self.each, max(self.together, self.each // 20))


Pair = tuple[Side, Side]
"""A policy without a rule, and with it."""


def idle(
    rule: PrefixRule, tries: Tries, beside: list[PrefixRule], alone: Side, near: Pair, *pairs: Pair
) -> Overlap | None:
    """The rule, if it makes no difference in any of the pairs.

    `alone` has no other rule about words: where that hears nothing of it, no command meets its
    conditions. `near` has those about its program which say another thing. Of those `beside` it
    the `others` found decide where it applies. Raises `TooHardError`.
    """
    others = dict[PrefixRule, None]()
    spoke = False
    most = tries.of_rule()
    for count, request in enumerate(_requests(rule, near)):
        tries.together -= 1
        if count >= most:
            raise TooHardError
        for both in pairs:
            before, after = (decisions(side.judge(request)) for side in both)
            if before != after:
                return None
        if rule.origin in _speaking(alone.judge(request)):
            spoke = True
            found = _speaking(pairs[0][1].judge(request))
            loud = [r for r in beside if r.origin in found and r.decision >= rule.decision]
            worst = max((r.decision for r in loud), default=None)
            others |= dict.fromkeys(r for r in loud if r.decision is worst)
    if spoke and not others:
        return None  # what decides in its place is not a rule
    return Overlap(_kind(rule, spoke, tuple(others)), rule, tuple(others))


def _speaking(verdict: Verdict) -> set[Origin]:
    return {match.origin for match in verdict.matches if match.origin}


def _kind(rule: PrefixRule, spoke: bool, others: tuple[PrefixRule, ...]) -> str:
    if not spoke:
        return "unmet"
    if not all(other.decision > rule.decision for other in others):
        return "redundant"
    alike = {"decision": Decision.ALLOW, "justification": None, "origin": rule.origin}
    same = len(others) == 1 and others[0].replace(**alike) == rule.replace(**alike)
    return "contradiction" if same else "dead"


def _requests(rule: PrefixRule, both: tuple[Side, Side]) -> Iterator[Request]:
    """Each sort of command that the rule is about."""
    search = CommandSearch(both, Surroundings(False, True, True, True), FIELDS)
    table = search.table
    numbers = {n for n in table.differing if table.sides[n] == NEW}
    for name in sorted(table.changed()):
        walk = PolicyWalk(table, name, steps=search.steps)
        options = global_options(name, both[0].catalogue)
        for found in walk.classes(search.canonical, options, search.meaning):
            for words in search.commands(found) if found.matched.new & numbers else ():
                yield from (requested(words, cwd)[0] for cwd in search.directories([rule]))
