"""Properties of finding rules without effect, against a model over all short commands."""

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.model.decision import Decision
from execpolicy.model.rule import HostExecutable, PrefixRule
from execpolicy.prove.inclusion.algebra import covered
from execpolicy.prove.inclusion.overlap import Setting, overlaps
from tests import model
from tests.examples import examples
from tests.lint.policies import COMMANDS, LITERAL, Command, hosts, policies, rules, tails, without

Hosts = Mapping[str, HostExecutable]


def found_in(policy: list[PrefixRule], listed: Hosts) -> dict[str, list[PrefixRule]]:
    """The rules that are reported, by kind."""
    found: dict[str, list[PrefixRule]] = {}
    setting = Setting(paths={name: host.paths for name, host in listed.items()})
    for overlap in overlaps(policy, (), setting):
        found.setdefault(overlap.kind, []).append(overlap.rule)
    assert "undecided" not in found
    return found


def differs(before: list[PrefixRule], after: list[PrefixRule], listed: Hosts) -> Command | None:
    """A command about which two policies disagree."""
    if len(before) == len(after):
        return None
    for argv in COMMANDS:
        if model.decide(before, listed, argv) != model.decide(after, listed, argv):
            return argv
    return None


@examples(25)
@given(policies, hosts)
def test_leaving_out_what_is_reported_changes_no_decision(
    policy: list[PrefixRule], listed: Hosts
) -> None:
    found = found_in(policy, listed)
    found.pop("never", None)
    useless = [rule for rules in found.values() for rule in rules]
    assert differs(policy, without(policy, useless), listed) is None


@examples(25)
@given(policies, hosts)
def test_nothing_that_can_be_left_out_is_left(policy: list[PrefixRule], listed: Hosts) -> None:
    useless = [rule for rules in found_in(policy, listed).values() for rule in rules]
    kept = without(policy, useless)
    for rule in kept:
        assert differs(kept, without(kept, [rule]), listed) is not None, rule


@examples(100)
@given(policies, hosts)
def test_never_means_that_no_words_are_spoken_about(
    policy: list[PrefixRule], listed: Hosts
) -> None:
    never = {id(rule) for rule in found_in(policy, listed).get("never", ())}
    for rule in policy:
        assert (id(rule) in never) == (not any(model.matches(rule, argv) for argv in LITERAL))


@examples(100)
@given(rules(), st.lists(rules(), max_size=4))
def test_inclusion_is_that_of_the_sets(rule: PrefixRule, others: list[PrefixRule]) -> None:
    inside = all(applies(others, argv) for argv in LITERAL if model.matches(rule, argv))
    assert covered(rule, others) == inside


def applies(rules: Sequence[PrefixRule], argv: Command) -> bool:
    return any(model.matches(rule, argv) for rule in rules)


@examples(100)
@given(policies, hosts, rules(), st.data())
def test_planted_rules_are_found(
    policy: list[PrefixRule], listed: Hosts, rule: PrefixRule, data: st.DataObject
) -> None:
    tail = data.draw(tails)
    narrow = rule.replace(pattern=(*rule.pattern, *tail), unless=(), exact=rule.exact and not tail)
    stricter = [d for d in Decision if d > rule.decision]
    wide = rule.replace(unless=(), exact=narrow.exact)
    wide = wide.replace(decision=data.draw(st.sampled_from(stricter))) if stricter else wide
    found = found_in([*policy, wide, narrow], listed)
    assert {id(narrow), id(wide)} & {id(rule) for rules in found.values() for rule in rules}
