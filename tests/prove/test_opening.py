"""What new rules open: as a user reads it, and against the engine about every small command."""

import random

import pytest

from execpolicy.commands.proving import side
from execpolicy.commands.render.proof import opening_lines
from execpolicy.prove.compare import compare
from execpolicy.prove.questions.opening import opening
from tests.examples import seeds
from tests.prove import test_conditions
from tests.prove.oracle import Memory, loosened
from tests.prove.test_answers import loaded

SAID = {
    'prefix_rule(["git", "push"], exact = True, effects = ["remote"], hosts = ["@configured"])': [
        "opens exactly: `git push`: changes something on another machine,"
        " only to `origin` and the remotes that branches track",
    ],
    'prefix_rule(["git", "push"], effects = ["remote"])': [
        "opens exactly: `git push …`: changes something on another machine",
        "  not: `git push -f`: `-f` removes or replaces what another machine has",
    ],
    'prefix_rule(["git", "status"], effects = ["read"])': [
        "opens nothing of `git status …`: it is allowed already, or more asks than this rule lifts",
        "  not: `git status x`: what `git status` does with one word more, `x`, is not known",
    ],
    'prefix_rule(["shred"], effects = ["destroy"], places = ["temporary"])': [
        "opens exactly: `shred …`: removes what cannot be brought back,"
        " only in directories for temporary files",
        "  not: `shred x` removes `x`",
    ],
    'path_rule(["~/notes/**"], modes = ["write"], decision = "allow")': [
        "opens exactly: write `~/notes/**`"
    ],
    'network_rule("x.example", "https", "allow")': ["opens exactly: `https://x.example`"],
    'prefix_rule(["touch"], effects = ["write"], confined = True)': [
        "opens exactly in the sandbox: `touch …`: writes",
    ],
}


@pytest.mark.parametrize(("text", "said"), SAID.items(), ids=SAID)
def test_in_words(text: str, said: list[str]) -> None:
    old, new = side(loaded("old", "")), side(loaded("new", text))
    assert [*opening_lines(opening(old, new))] == said


def agrees(draw: random.Random, memory: Memory) -> bool | None:
    """Whether something opens by one more rule, as the engine agrees; None for no policy."""
    old = [test_conditions.rule(draw) for _ in range(draw.choice((0, 1, 2)))]
    more = test_conditions.rule(draw)
    if not more.startswith("prefix_rule") or '"allow"' not in more:
        return None
    before, after = (test_conditions.load(each, memory) for each in (old, [*old, more]))
    if before is None or after is None:
        return None
    found = opening(before, after)
    passes = any(each.passes for each in found.opened)
    pair = (test_conditions.KIND.decided(each) for each in (before, after))
    if loosened(*pair) is not None:
        assert passes or not found.is_whole, (old, more, found)
    proof = compare(before, after)
    assert passes == bool(proof.witnesses) or not found.is_whole, (old, more, found, proof)
    return passes


@seeds(6, 40)
def test_against_the_engine(seed: int) -> None:
    agrees(random.Random(seed), {})  # noqa: S311
