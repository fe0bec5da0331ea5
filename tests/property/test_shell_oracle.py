"""A shell runs nothing that was not foreseen, word for word.

A third of all scripts has line continuations, tabs and carriage returns at random places. Where
bash reads a grown script, the very spot of a command in doubt has to be marked. `python -m
tests.shell.campaign` tries as many scripts as wanted and says how many ran what.
"""

import os

import pytest

from tests.shell import oracle
from tests.shell.drivers import BASH, DASH, POSIX, SHELLS, ZSH, Shell
from tests.shell.scripts import BATCH, GENERATORS, STRICT, script


def check(
    kind: str, first: int, number: int, salt: str = "", shell: Shell = BASH, broken: float = 1 / 3
) -> None:
    """Hold `number` scripts of a generator against a shell; a failure is shown small."""
    if not shell.installed:
        pytest.skip(f"{shell.command[0]} is not installed")
    strict = kind in STRICT
    for start in range(first, first + number, BATCH):
        seeds = [f"{kind}{salt}{i}" for i in range(start, min(start + BATCH, first + number))]
        failure = oracle.failing([script(kind, seed, broken) for seed in seeds], strict, shell)
        if failure is not None:
            smallest = oracle.shrunk(failure[0], strict, shell)
            found = oracle.failing([smallest], strict, shell) or failure
            pytest.fail(f"smallest script: {smallest!r}\nfrom: {failure[0]!r}\n{found[1]}")


LATER = [pytest.param(first, marks=pytest.mark.rest) for first in range(250, 2_000, 250)]


@pytest.mark.parametrize("first", [0, *LATER])
@pytest.mark.parametrize("kind", ["grown", "spliced", "souped", "nested"])
def test_bash_runs_nothing_unforeseen(kind: str, first: int) -> None:
    check(kind, first, 250)


@pytest.mark.parametrize("kind", GENERATORS)
@pytest.mark.parametrize("shell", [ZSH, DASH, POSIX], ids=lambda shell: shell.name)
def test_other_shells_run_nothing_unforeseen(kind: str, shell: Shell) -> None:
    check(kind, 0, 100, shell=shell)


@pytest.mark.parametrize("kind", GENERATORS)
def test_bash_runs_nothing_unforeseen_of_fresh_scripts(kind: str) -> None:
    check(kind, 0, 100, os.urandom(6).hex())


@pytest.mark.oracle_long
@pytest.mark.parametrize("kind", ["grown", "spliced", "souped"])
@pytest.mark.parametrize("first", range(10_000, 76_667, 6_667))
def test_bash_runs_nothing_unforeseen_of_200_000_scripts(kind: str, first: int) -> None:
    check(kind, first, 6_667)


@pytest.mark.oracle_long
@pytest.mark.parametrize("kind", GENERATORS)
@pytest.mark.parametrize("name", SHELLS)
@pytest.mark.parametrize("first", range(100_000, 120_000, 5_000))
def test_no_shell_runs_anything_unforeseen_of_100_000_broken_scripts(
    kind: str, name: str, first: int
) -> None:
    check(kind, first, 5_000, "b", SHELLS[name], broken=1)


@pytest.mark.parametrize("kind", GENERATORS)
def test_a_seed_is_a_script(kind: str) -> None:
    assert script(kind, "seed", 1) == script(kind, "seed", 1)
    assert len({script(kind, str(i)) for i in range(50)}) > 40


@pytest.mark.parametrize("kind", GENERATORS)
def test_a_broken_script_has_continuations(kind: str) -> None:
    texts = [script(kind, str(i), 1) for i in range(100)]
    assert sum("\\\n" in text for text in texts) > 70


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


@pytest.mark.parametrize("shell", SHELLS.values(), ids=lambda shell: shell.name)
def test_every_shell_tells_what_it_runs(shell: Shell) -> None:
    if not shell.installed:
        pytest.skip(f"{shell.command[0]} is not installed")
    ran = oracle.run(["A x; if B; then C; fi", "ls 'a\n' '' \"$(git y)\"", "A `B '\\\nx'`"], shell)
    assert ran == [
        [("A", "x"), ("B",), ("C",)],
        [("git", "y"), ("ls", "a\n", "", "")],
        [("B", "x"), ("A",)],
    ]
    assert oracle.complaint("A x", [("A", "y")], True, shell)


def test_a_word_of_zsh_ends_at_a_nul() -> None:
    if not ZSH.installed:
        pytest.skip("zsh is not installed")
    assert oracle.run(["A $'a\\0b' '' $'\\x' c\nB"], ZSH) == [[("A", "a", "", "", "c"), ("B",)]]


def test_a_function_that_calls_itself_is_left_to_shells_that_end_it() -> None:
    assert oracle.left_out("f() { f; }; f", DASH)
    assert oracle.left_out("f() { f\\\n; }; f", DASH)
    assert not oracle.left_out("f() { A; }; f", DASH)
    assert not oracle.left_out("f() { f; }; f", BASH)
