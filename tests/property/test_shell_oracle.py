"""bash runs nothing that was not foreseen, word for word.

Three generators: scripts grown from the grammar, where the very spot of a command in doubt has to
be marked; commands as agents write them, cut and scratched; tokens in any order.
"""

# ruff: noqa: S311

import os
from collections.abc import Callable
from random import Random

import pytest

from tests import shell_strategies
from tests.shell import oracle

GENERATORS: dict[str, Callable[[Random], str]] = {
    "grown": shell_strategies.grown,
    "spliced": shell_strategies.spliced,
    "souped": shell_strategies.souped,
}
BATCH = 50


def check(kind: str, first: int, number: int, salt: str = "") -> None:
    """Hold `number` scripts of a generator against bash; a failure is shown as small as it gets."""
    strict = kind == "grown"
    for start in range(first, first + number, BATCH):
        seeds = [f"{kind}{salt}{i}" for i in range(start, min(start + BATCH, first + number))]
        failure = oracle.failing([GENERATORS[kind](Random(seed)) for seed in seeds], strict)
        if failure is not None:
            smallest = oracle.shrunk(failure[0], strict)
            found = oracle.failing([smallest], strict) or failure
            pytest.fail(f"smallest script: {smallest!r}\nfrom: {failure[0]!r}\n{found[1]}")


@pytest.mark.parametrize("first", range(0, 2_000, 500))
def test_bash_runs_nothing_unforeseen_of_grown_scripts(first: int) -> None:
    check("grown", first, 500)


@pytest.mark.parametrize("kind", ["spliced", "souped"])
@pytest.mark.parametrize("first", range(0, 1_500, 500))
def test_bash_runs_nothing_unforeseen_of_scratched_scripts(kind: str, first: int) -> None:
    check(kind, first, 500)


@pytest.mark.parametrize("kind", GENERATORS)
def test_bash_runs_nothing_unforeseen_of_fresh_scripts(kind: str) -> None:
    check(kind, 0, 150, os.urandom(6).hex())


@pytest.mark.oracle_long
@pytest.mark.parametrize("kind", GENERATORS)
@pytest.mark.parametrize("first", range(10_000, 76_667, 6_667))
def test_bash_runs_nothing_unforeseen_of_200_000_scripts(kind: str, first: int) -> None:
    check(kind, first, 6_667)


@pytest.mark.parametrize("kind", GENERATORS)
def test_a_seed_is_a_script(kind: str) -> None:
    first, second = (GENERATORS[kind](Random("seed")) for _ in range(2))
    assert first == second
    assert len({GENERATORS[kind](Random(i)) for i in range(50)}) > 40


def test_the_oracle_sees_what_runs() -> None:
    """The judge itself: it notices a command that was not foreseen, and words that differ."""
    ran = oracle.run(["A x; if B; then C; fi", "ls 'a b' $(git y)", "no_such z"])
    assert ran == [
        [("A", "x"), ("B",), ("C",)],
        [("git", "y"), ("ls", "a b")],
        [("no_such", "z")],
    ]
    assert oracle.complaint("A x", [("A", "x")], True) is None
    assert oracle.complaint("A x", [("A", "y")], True)
    assert oracle.complaint("A x", [("B",)], True)
    assert oracle.complaint("A k1; eval B", [("C", "k2")], False) is None
    assert oracle.complaint("A k1; ${x} k2", [("B", "k1")], True)
    assert oracle.complaint("A k1; ${x} k2", [("B", "k2")], True) is None
