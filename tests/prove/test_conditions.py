"""A proof about rules with conditions agrees with the engine about every command of four words.

The catalogue is small. Both decisions count, and each witness is asked again.
"""

import random
from itertools import product

import pytest

from execpolicy.model.operation import Request
from execpolicy.prove.side import BELOW, HOME, ROOT, Side, command
from execpolicy.prove.witness import LOOSER
from tests.prove.oracle import NOT_VALID, Kind, Memory, agree, decided, loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CATALOGUE = """
program("a", "-C=cwd", "")
program("a p", "-f!destroy -o=out", "file* ")
program("a q", "-f!execute", "url?", effect = "network")
posture(read = "allow")
"""
WORDS = ("p", "q", "-f", "x", "/tmp/d/x", "https://h.example/", "-C")
COMMANDS = [
    (head, *tail)
    for size in range(4)
    for tail in product(WORDS, repeat=size)
    for head in ("a", "/x/a")
]
DIRECTORIES = (ROOT, BELOW, "/tmp/d", f"{HOME}/Documents")
TAILS: list[list[str | list[str]]] = [[], ["p"], ["q"], [["p", "q"]], ["p", "-f"], ["-C"]]
DECISIONS = ("allow", "prompt", "forbidden")
EFFECTS = ("read", "write", "network", "destroy", "execute", "unknown")


def rule(draw: random.Random) -> str:
    """One rule of any kind that is about commands."""
    if draw.random() < 0.2:
        return f'posture({draw.choice(EFFECTS)} = "{draw.choice(DECISIONS)}")'
    pattern: list[str | list[str]] = ["a", *draw.choice(TAILS)]
    decision = draw.choice(DECISIONS)
    said = [f'"{decision}"'.replace("'", '"')]
    if draw.random() < 0.3:
        said.append("exact = True")
    elif draw.random() < 0.3:
        said.append(f"unless = [{[*pattern, draw.choice(['p', '-f', 'x'])]}]")
    if draw.random() < 0.5:
        said.append(f"effects = {draw.sample(EFFECTS[:5], draw.choice((1, 2)))}")
    if decision == "allow":
        if draw.random() < 0.3:
            said.append(f"places = {draw.sample(('project', 'temporary'), draw.choice((1, 2)))}")
        if draw.random() < 0.2:
            said.append('hosts = ["h.example"]')
        said.append(draw.choice(("confined = True", "below = True", "exact = False")))
    elif draw.random() < 0.3:
        said.append('options = ["-f"]')
    if sum(each.startswith("exact") for each in said) > 1:
        said.pop()
    return f"prefix_rule({pattern}, {', '.join(said)})"


def requests() -> "Iterator[Request]":
    """Every command of up to four words, in each directory."""
    for words in COMMANDS:
        for cwd in DIRECTORIES:
            yield command(words, cwd)


def load(rules: list[str], memory: Memory) -> Side | None:
    return loaded(CATALOGUE + "\n".join(rules), memory)


KIND = Kind(rule, load, lambda side: decided(side, requests()))


def pair(draw: random.Random, memory: Memory) -> str:
    """The answer about one random change of a policy."""
    old = [rule(draw) for _ in range(draw.choice((1, 2, 3)))]
    new = [each for each in old if draw.random() < 0.7]
    new += [rule(draw) for _ in range(draw.choice((0, 1, 2)))]
    before, after = (load(each, memory) for each in (old, new))
    if before is None or after is None:
        return NOT_VALID
    return agree((before, after), KIND, (old, new))


@pytest.mark.parametrize("seed", [*range(6), 5127, 5230, 6088])
def test_rules_with_conditions(seed: int) -> None:
    pair(random.Random(seed), {})  # noqa: S311


def test_an_unknown_option_in_front_of_a_subcommand() -> None:
    """Rules that tighten see what stands behind it; found by the campaign, seed 400001."""
    rules = [
        'prefix_rule(["a"], "allow", confined = True)',
        'prefix_rule(["a", "p"], "forbidden", exact = True, effects = ["network", "write"])',
    ]
    both = [load(each, {}) for each in (rules, rules[:1])]
    assert both[0] is not None
    assert both[1] is not None
    assert agree((both[0], both[1]), KIND, rules) == LOOSER


GIVEN = [
    (
        """prefix_rule(["a"], "forbidden", exact = True, effects = ["read"], options = ["-f"])""",
        """prefix_rule(["a", "-C"], "forbidden")""",
    ),
    ("""prefix_rule(["a", "p"], "forbidden", effects = ["destroy"], options = ["-C"])""", ""),
]


@pytest.mark.parametrize(("old", "new"), GIVEN)
def test_an_option_in_front_of_a_subcommand(old: str, new: str) -> None:
    """Rules that tighten do not count it as a word. Found by the campaign, layers 1010012."""
    both = load([old], {}), load([new], {})
    assert both[0] is not None
    assert both[1] is not None
    assert agree((both[0], both[1]), KIND, (old, new)) == LOOSER


UNKNOWN = [
    # an option that the entry does not know may be the one, and may reach a machine
    """prefix_rule(["a", "p"], "prompt", options = ["-f"], effects = ["network"],
    unless = [["a", "p", "-f"]])""",
    """prefix_rule(["a"], "prompt", options = ["-f"], effects = ["network"],
    unless = [["a", ["p", "q"], ["-f"]], ["a", "p", "x"]])""",
]


@pytest.mark.parametrize("asks", UNKNOWN)
def test_an_option_that_no_entry_knows(asks: str) -> None:
    """Found by the campaign, seed 700001."""
    rules = [asks, 'prefix_rule(["a", "p"])']
    both = [load(each, {}) for each in (rules, rules[1:])]
    assert both[0] is not None
    assert both[1] is not None
    assert agree((both[0], both[1]), KIND, rules) == LOOSER


def test_a_host_that_both_sides_allow_counts_beside_an_effect_that_one_lifts() -> None:
    """Found by the campaign, seed 730023."""
    allows = 'prefix_rule(["a", "q"], "allow", effects = ["network"], hosts = ["h.example"])'
    rules = [allows, 'posture(execute = "allow")']
    both = [load(each, {}) for each in (rules[:1], rules)]
    assert both[0] is not None
    assert both[1] is not None
    assert agree((both[0], both[1]), KIND, rules) == LOOSER


def test_a_directory_where_a_rule_of_both_sides_holds_counts() -> None:
    """Found by the campaign, seed 730023."""
    hosts = 'hosts = ["h.example"], below = True'
    kept = [f'prefix_rule(["a", "q"], "allow", effects = ["network"], {hosts})']
    old = [*kept, 'prefix_rule(["a", "q"], "allow", effects = ["execute"], exact = False)']
    new = [*kept, 'posture(execute = "allow")']
    both = [load(each, {}) for each in (old, new)]
    assert both[0] is not None
    assert both[1] is not None
    assert agree((both[0], both[1]), KIND, (old, new)) == LOOSER
