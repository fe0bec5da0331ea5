"""A proof about words agrees with looking at every command of up to four words.

The decision is that of `tests/model.py`; where no rule applies, one stands for the posture.
"""

import random

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.catalogue import Catalogue
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.rule import HostExecutable, PrefixRule
from execpolicy.model.verdict import Verdict
from execpolicy.policy.policy import Policy
from execpolicy.prove.side import Side
from execpolicy.prove.witness import LOOSER
from tests import model
from tests.examples import examples
from tests.lint.policies import HEADS, LITERAL, ORIGIN, TOKENS, hosts, policies
from tests.prove.oracle import Kind, loosened, proved

Hosts = dict[str, HostExecutable]

FAR = [(head, *argv[1:]) for argv in LITERAL if argv[0] == "a" for head in ("/x/9", "/y/9")]
COMMANDS = [tuple(map(str, argv)) for argv in (*LITERAL, *FAR)]
"""All commands of up to four words; those of a program by a path that no rule names, too."""


class Otherwise:
    """One decision for all that no rule is about."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision

    def decide(self, _effect: str, _places: tuple[str, ...] = ()) -> Decision:
        return self.decision

    confined = decide

    def origin(self, *_: object) -> None:
        """None: it is of no file."""


Rule = PrefixRule | HostExecutable | Decision
"""What a policy is made of; a decision is that of the posture, of which the last counts."""


def load(rules: list[Rule], _: object = None) -> Side:
    """One side, that decides as the model does."""
    patterns = [each for each in rules if isinstance(each, PrefixRule)]
    listed = {each.name: each for each in rules if isinstance(each, HostExecutable)}
    rest = next((each for each in reversed(rules) if isinstance(each, Decision)), Decision.PROMPT)

    def judge(request: Request) -> Verdict:
        said = None if request.argv is None else model.decide(patterns, listed, request.argv)
        decision = Decision.ALLOW if request.argv is None else rest if said is None else said
        return Verdict(decision, (), confined=decision)

    policy = Policy([*patterns, *listed.values()])
    return Side(policy, Catalogue(), Otherwise(rest), judge)


def decided(side: Side) -> bytes:
    """What is decided about every command."""
    return bytes(side.judge(Request(argv=argv)).decision for argv in COMMANDS)


def agree(old: list[Rule], new: list[Rule]) -> None:
    """The answer is that of every command."""
    both = load(old), load(new)
    answer = proved(both, (old, new))
    assert (answer == LOOSER) is (loosened(*map(decided, both)) is not None), (old, new, answer)


RESTS = st.sampled_from((Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN))


@examples(60)
@given(policies, hosts, policies, hosts, RESTS, RESTS)
def test_two_policies(
    old: list[PrefixRule],
    listed: Hosts,
    new: list[PrefixRule],
    others: Hosts,
    rest: Decision,
    other_rest: Decision,
) -> None:
    agree([*old, *listed.values(), rest], [*new, *others.values(), other_rest])


@examples(60)
@given(policies, hosts, policies, RESTS)
def test_a_change_of_some_rules(
    kept: list[PrefixRule], listed: Hosts, added: list[PrefixRule], rest: Decision
) -> None:
    """Most changes add rules, take some out, or replace one."""
    before: list[Rule] = [*kept, *listed.values(), rest]
    agree(before, [*before, *added])
    agree([*before, *added], before)
    agree([*before, added[0]], [*before, *added])


LISTED = HostExecutable("a", ("/x/a", "/y/a"), ORIGIN)


def rule(draw: random.Random) -> Rule:
    """One rule with all that words can say, or what beside rules may differ."""
    if draw.random() < 0.2:
        other: Rule = draw.choice((LISTED, *Decision))
        return other
    pattern = (
        tuple(draw.sample(HEADS, draw.choice((1, 1, 2)))),
        *(_tokens(draw) for _ in range(draw.choice((0, 1, 1, 2)))),
    )
    unless = tuple(
        ((*(pattern if draw.random() < 0.7 else pattern[:1]), _tokens(draw)))[:4]
        for _ in range(draw.choice((0, 0, 1, 2)))
    )
    return PrefixRule(
        pattern,
        draw.choice(tuple(Decision)),
        None,
        ORIGIN,
        canonical=draw.random() < 0.3,
        unless=unless,
        exact=draw.random() < 0.3,
    )


def _tokens(draw: random.Random) -> tuple[str, ...]:
    return tuple(draw.sample(TOKENS, draw.choice((1, 1, 2, 3))))


KIND = Kind(rule, load, decided)
