"""The sets of commands that rules apply to, and whether some of them cover another."""

from collections.abc import Sequence

from execpolicy.model.decision import Decision
from execpolicy.model.rule import Pattern, PrefixRule, fold
from execpolicy.prove.inclusion.rule_table import Table
from execpolicy.prove.inclusion.walk import Walk


def empty(rule: PrefixRule) -> bool:
    """Whether a rule applies to no words at all, because its exceptions take all."""
    return covered(rule, ())


def covered(inner: PrefixRule, others: Sequence[PrefixRule], loose: bool = False) -> bool:
    """Whether every command that begins like `inner` says is one that another applies to.

    Decisions do not count. `loose`: the others see a program's path as its name too. Raises
    `TooHardError`.
    """
    table = Table((rule.replace(decision=Decision.PROMPT) for rule in (inner, *others)), ())
    mine, *numbers = table.numbers
    return Walk(table, mine, numbers, loose).holds()


def exception(rule: PrefixRule, unless: Pattern) -> PrefixRule:
    """What an exception takes from its rule, as a rule: the commands that begin with both."""
    width = max(len(rule.pattern), len(unless))
    both = tuple(_common(rule, unless, at) for at in range(width))
    exact = rule.exact and len(unless) <= len(rule.pattern)
    return rule.replace(pattern=both, unless=(), exact=exact)


def _common(rule: PrefixRule, unless: Pattern, at: int) -> tuple[str, ...]:
    if at >= len(rule.pattern):
        return unless[at]
    if at >= len(unless):
        return rule.pattern[at]
    if rule.canonical:
        folded = {fold(t) for t in unless[at]}
        return tuple(t for t in rule.pattern[at] if fold(t) in folded)
    return tuple(t for t in rule.pattern[at] if t in unless[at])
