"""Properties of matching: the indexed policy means what the model says, in any order."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Dynamic, Word
from execpolicy.model.rule import HostExecutable, PrefixRule, is_prefix
from execpolicy.policy.policy import Policy
from tests import model, strategies


def decide(policy: Policy, argv: tuple[Word, ...]) -> Decision | None:
    """What the policy says about a command, as the engine asks it."""
    spellings = model.spellings(argv)
    said = [r.decision for r in policy.tightening(spellings)]
    said += [r.decision for r in policy.allowing(argv, spellings)]
    said += [Decision.PROMPT for _ in policy.could_tighten(spellings)]
    return max(said, default=None)


@given(strategies.policies, strategies.hosts, strategies.dynamic_argvs)
def test_engine_and_model_agree(
    rules: list[PrefixRule], host: HostExecutable, argv: tuple[Word, ...]
) -> None:
    policy = Policy([*rules, host])
    assert decide(policy, argv) == model.decide(rules, {"git": host}, argv)


@given(strategies.policies, strategies.argvs, st.randoms(use_true_random=False))
def test_order_of_rules_never_matters(
    rules: list[PrefixRule], argv: tuple[str, ...], random: Random
) -> None:
    shuffled = list(rules)
    random.shuffle(shuffled)
    assert decide(Policy(rules), argv) == decide(Policy(shuffled), argv)
    assert set(Policy(rules).matching(argv)) == set(Policy(shuffled).matching(argv))


@given(strategies.policies, strategies.prefix_rules(), strategies.dynamic_argvs)
def test_adding_a_rule_never_loosens_a_matched_command(
    rules: list[PrefixRule], added: PrefixRule, argv: tuple[Word, ...]
) -> None:
    before = decide(Policy(rules), argv)
    after = decide(Policy([*rules, added]), argv)
    assert before is None or (after is not None and after >= before)


@given(strategies.policies, strategies.argvs)
def test_every_match_is_a_prefix_of_the_argv(
    rules: list[PrefixRule], argv: tuple[str, ...]
) -> None:
    for rule in Policy(rules).matching(argv):
        assert is_prefix(rule.pattern, argv, rule.canonical)


@given(strategies.policies, strategies.argvs)
def test_matching_finds_what_looking_at_every_rule_finds(
    rules: list[PrefixRule], argv: tuple[str, ...]
) -> None:
    found = Policy(rules).matching(argv)
    assert sorted(map(id, found)) == sorted(id(r) for r in rules if model.matches(r, argv))


@given(strategies.policies, strategies.argvs, st.integers(0, 4))
def test_hiding_a_word_never_lowers_a_decision(
    rules: list[PrefixRule], argv: tuple[str, ...], at: int
) -> None:
    """A dynamic word in the place of a literal one may tighten, never loosen what tightened."""
    at = 1 + at % len(argv)
    hidden: tuple[Word, ...] = (*argv[:at], Dynamic("$x", single=True), *argv[at + 1 :])
    before = Policy(rules).tightening(model.spellings(argv))
    after = decide(Policy(rules), hidden)
    if before and not any(r.unless or r.exact for r in rules):
        assert after in (Decision.PROMPT, Decision.FORBIDDEN)
