"""What allow rules say that hold in the sandbox only."""

from _collections_abc import Iterable, Sequence

from execpolicy.catalogue.conditions.open_tail import exceeds
from execpolicy.engine.rules.grants import grants
from execpolicy.engine.rules.rules import named
from execpolicy.engine.scene import RequestCommand
from execpolicy.model.decision import Decision
from execpolicy.model.rule import PrefixRule
from execpolicy.model.verdict import Match


def lowered(
    rules: "Iterable[PrefixRule]", command: RequestCommand, said: "Sequence[Match]"
) -> list[Match]:
    """The catalogue's matches of a command, allowed in the sandbox where a rule lifts them."""
    causes = command.reading.effects
    lifted = set[int]().union(*(_lifted(rule, command) for rule in rules))
    left = {cause.effect for number, cause in enumerate(causes) if number not in lifted}
    return [
        match.replace(confined=Decision.ALLOW) if left.isdisjoint(match.effects) else match
        for match in said
    ]


def _lifted(rule: PrefixRule, command: RequestCommand) -> frozenset[int]:
    """The effects that a rule answers for, by their numbers."""
    words = named(rule, command.operation.argv)
    if rule.conditions is not None:
        return frozenset().union(*(g.numbers for g in grants([(rule, words)], command)))
    causes = command.reading.effects
    return frozenset(n for n, c in enumerate(causes) if not exceeds(c, causes, words))
