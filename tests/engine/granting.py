"""What the user has who accepts what a verdict proposes."""

from collections.abc import Iterable

from execpolicy.engine.offers.own_tool import beside
from execpolicy.language.compile import compile_text
from execpolicy.model.rule import NetworkRule, PathRule, PrefixRule
from execpolicy.model.verdict import Amendment
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.store.snapshot import Snapshot


def accepted(snapshot: Snapshot, amendments: Iterable[Amendment]) -> Snapshot:
    """The snapshot with the rules of these amendments in the user's layer."""
    return granted(snapshot, *dict.fromkeys(amendment.rule for amendment in amendments))


def granted(snapshot: Snapshot, *lines: str) -> Snapshot:
    """The snapshot with these rules in the user's layer."""
    text = "\n".join(lines)
    prefix, paths = rules_of(text)
    found = compile_text(text, "<accepted>", "user")
    network = [rule for rule in found.rules if isinstance(rule, NetworkRule)]
    catalogue = beside(snapshot.catalogue, [n for each in found.programs for n in each.names])
    policy = snapshot.policy.beside(PackedRules.of(prefix), paths, network)
    return snapshot.replace(policy=policy, catalogue=catalogue)


def rules_of(text: str) -> tuple[list[PrefixRule], list[PathRule]]:
    """The rules of a text about commands, and those about paths."""
    rules = compile_text(text, "<accepted>", "user").rules
    return (
        [rule for rule in rules if isinstance(rule, PrefixRule)],
        [rule for rule in rules if isinstance(rule, PathRule)],
    )
