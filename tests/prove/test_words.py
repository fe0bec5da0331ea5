"""A proof about words agrees with looking at every command of up to four words.

The decision is that of `tests/model.py`; where no rule applies, one stands for the posture.
"""

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.catalogue import Catalogue
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.rule import HostExecutable, PrefixRule
from execpolicy.model.verdict import Verdict
from execpolicy.policy.policy import Policy
from execpolicy.prove.compare import compare
from execpolicy.prove.side import Side
from execpolicy.prove.witness import CANNOT_TELL, LOOSER
from tests import model
from tests.examples import examples
from tests.lint.policies import LITERAL, hosts, policies

Hosts = dict[str, HostExecutable]

FAR = [(head, *argv[1:]) for argv in LITERAL if argv[0] == "a" for head in ("/x/9", "/y/9")]
COMMANDS = [*LITERAL, *FAR]
"""All commands of up to four words; those of a program by a path that no rule names, too."""


class Otherwise:
    """One decision for all that no rule is about."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision

    def decide(self, _effect: str, _places: tuple[str, ...] = ()) -> Decision:
        return self.decision

    confined = decide


def decided(
    rules: list[PrefixRule], listed: Hosts, argv: tuple[object, ...], rest: Decision
) -> Decision:
    found = model.decide(rules, listed, argv)  # type: ignore[arg-type]
    return rest if found is None else found


def side(rules: list[PrefixRule], listed: Hosts, rest: Decision) -> Side:
    def judge(request: Request) -> Verdict:
        said = (
            Decision.ALLOW if request.argv is None else decided(rules, listed, request.argv, rest)
        )
        return Verdict(said, (), confined=said)

    return Side(Policy([*rules, *listed.values()]), Catalogue(), Otherwise(rest), judge)


def agree(
    old: tuple[list[PrefixRule], Hosts, Decision], new: tuple[list[PrefixRule], Hosts, Decision]
) -> str:
    """The answer, after every command was looked at."""
    proof = compare(side(*old), side(*new))
    found = next(
        (
            argv
            for argv in COMMANDS
            if decided(new[0], new[1], argv, new[2]) < decided(old[0], old[1], argv, old[2])
        ),
        None,
    )
    assert proof.answer != CANNOT_TELL, proof.unknown
    assert (proof.answer == LOOSER) == (found is not None), (found, proof)
    for witness in proof.witnesses:
        argv = witness.request.argv
        assert argv is not None
        assert decided(new[0], new[1], argv, new[2]) < decided(old[0], old[1], argv, old[2])
    return proof.answer


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
    agree((old, dict(listed), rest), (new, dict(others), other_rest))


@examples(60)
@given(policies, hosts, policies, RESTS)
def test_a_change_of_some_rules(
    kept: list[PrefixRule], listed: Hosts, added: list[PrefixRule], rest: Decision
) -> None:
    """Most changes add rules, take some out, or replace one."""
    before, after = (kept, dict(listed), rest), ([*kept, *added], dict(listed), rest)
    agree(before, after)
    agree(after, before)
    agree((([*kept, added[0]]), dict(listed), rest), after)
