"""What the user has who accepts what a verdict proposes."""

from collections.abc import Iterable

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
    rules = compile_text(text, "<accepted>", "user").rules
    network = [rule for rule in rules if isinstance(rule, NetworkRule)]
    return snapshot.replace(policy=snapshot.policy.beside(PackedRules.of(prefix), paths, network))


def rules_of(text: str) -> tuple[list[PrefixRule], list[PathRule]]:
    """The rules of a text about commands, and those about paths."""
    rules = compile_text(text, "<accepted>", "user").rules
    return (
        [rule for rule in rules if isinstance(rule, PrefixRule)],
        [rule for rule in rules if isinstance(rule, PathRule)],
    )
