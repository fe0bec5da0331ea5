"""Why something cannot be told: each sort that `docs/prove.md` lists, and what it costs."""

from pathlib import Path

import pytest

from execpolicy.commands.proving import side
from execpolicy.prove import commands
from execpolicy.prove.compare import compare
from execpolicy.prove.inclusion import names, word_states
from execpolicy.prove.inclusion.names import names_of
from execpolicy.prove.inclusion.rule_table import Table
from execpolicy.prove.inclusion.word_states import Steps
from execpolicy.prove.policy_walk import PolicyWalk
from execpolicy.prove.side import Side
from execpolicy.prove.witness import CANNOT_TELL, LOOSER, NO_LOOSER
from execpolicy.store import loader
from execpolicy.store.sources.files import RulesFile
from tests.prove.oracle import loaded

MEMORY: dict[object, object] = {}
PAGE = Path(__file__).parents[2] / "docs" / "prove.md"
DIGEST = "sha256:" + 64 * "0"
MANY = 'posture(read = "allow")\nprogram("a", "-f -g!write -h=file", "text")\n'
STARTS = 'program("n", "", "command")\nprefix_rule(["a"])\nprefix_rule(["b"])\n'
GLOBS = """path_rule(["./*a*"], decision = "allow")
path_rule(["./*b*"], decision = "allow", programs = ["cat"])
"""
OVERLAPPING = "\n".join(
    f'prefix_rule(["a", {letters}], "forbidden", effects = ["{effect}"])'
    for effect in ("read", "write", "execute")
    for letters in ('["p", "q"]', '["q", "r"]', '["r", "p"]')
)


def both(old: str, new: str) -> tuple[Side, Side]:
    found = [loaded(text, {}) for text in (old, new)]
    assert found[0] is not None
    assert found[1] is not None
    return found[0], found[1]


DOUBTS = [
    (
        "",
        f'prefix_rule(["a", "-"], effects = ["execute"], stdin = ["{DIGEST}"])',
        "reads from its standard input is known by its digest alone",
    ),
    (OVERLAPPING, OVERLAPPING + '\nprefix_rule(["a", "p"], "prompt")', "overlap in too many ways"),
    (
        GLOBS,
        GLOBS + 'path_rule(["./*c*"], decision = "prompt")',
        "the patterns of paths overlap in too many ways",
    ),
    (
        'program("a", "-C", "")\nprogram("a p", "", "text")',
        'program("a", "-C=text", "")\nprogram("a p", "", "text")',
        "the catalogues describe `a` differently",
    ),
    (
        STARTS,
        f'{STARTS}prefix_rule(["n"], effects = ["write"])',
        "more rules allow than are tried as what another command starts",
    ),
    (
        MANY,
        f'{MANY}prefix_rule(["a"], effects = ["read"])',
        "has too many forms to try each",
    ),
]


@pytest.mark.parametrize(("old", "new", "why"), DOUBTS, ids=[w[-40:] for _, _, w in DOUBTS])
def test_said_and_on_the_page(
    old: str, new: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_states, "MAX_STEPS", 60)
    monkeypatch.setattr(names, "MAX_STATES", 5)
    monkeypatch.setattr(commands, "MAX_SAMPLES", 10)
    monkeypatch.setattr(commands, "MAX_STARTED", 1)
    proof = compare(*both(old, new))
    assert proof.answer == CANNOT_TELL, proof
    assert any(why in each for each in proof.unknown)
    assert why.replace("`a`", "`X`") in PAGE.read_text()


def test_names_double_with_each_glob() -> None:
    """One name for each set of meanings that a name can get: these are independent."""
    sizes = [len(names_of({f"*{c}*": c for c in "abcdef"[:size]}, ())) for size in (3, 4, 5)]
    assert sizes == [8, 16, 32]
    assert len(names_of({f"*{c}*": "one" for c in "abcdef"}, ())) == 2


def test_states_double_with_each_exception() -> None:
    """Exceptions of which each holds or not, whatever the others do."""

    def steps(count: int) -> int:
        letters = [f"w{n}" for n in range(count)]
        unless = [["a", *[letters] * at, each] for at, each in enumerate(letters)]
        text = f'prefix_rule(["a"], "forbidden", unless = {unless})'
        old, new = both("", text)
        table = Table(old.policy.rules, new.policy.rules)
        taken = Steps()
        list(PolicyWalk(table, "a", steps=taken).classes(lambda words: words))
        return taken.taken

    assert steps(7) > 1.9 * steps(6) > 3.6 * steps(5)


def test_walks_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many programs of which each alone is quick are as bounded as one that is not."""
    rules = "\n".join(f'prefix_rule(["p{n}", "x"], "forbidden")' for n in range(200))
    monkeypatch.setattr(word_states, "MAX_STEPS", 100)
    proof = compare(*both("", rules))
    assert len(proof.unknown) > 100


@pytest.mark.parametrize("unless", ["*.env.example", "*.md", "./fixtures/**"])
def test_what_is_taken_out_of_a_shipped_class_is_told(unless: str) -> None:
    """Some hundred globs of which most overlap; for each exception of the class a few matter."""
    text = f'place("credentials", [], unless = ["{unless}"])'
    files = (RulesFile("user", "/new.rules", each.encode()) for each in ("", text))
    sides = [side(loader.load([each], cached=False, memory=MEMORY)) for each in files]
    assert compare(sides[0], sides[1]).answer == LOOSER
    assert compare(sides[1], sides[0]).answer == NO_LOOSER
