"""A proof about two catalogues agrees with the engine about every command of four words.

Options take other numbers of words, subcommands come and go, operands do other things.
"""

import random
from itertools import product

import pytest

from execpolicy.model.operation import Request
from execpolicy.prove.compare import compare
from execpolicy.prove.side import Side, command
from execpolicy.prove.witness import LOOSER
from tests.examples import seeds
from tests.prove.oracle import Kind, Memory, decided, family, loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OPTIONS = (
    *("-f", "-f!destroy", "-f=text", "-f=out", "-g!execute", "-g=text", "-g=out", "-g!write"),
    *("--long!destroy", "--long", "--long=text", "--lone"),
)
OPERANDS = ("", "file*", "out*", "file? out?", "text remove*", "text text out", "url?", "text")
EFFECTS = ("read", "write", "network", "destroy", "execute")
NAMES = ("a", "a", "a p", "a p", "a q", "a -f")
WORDS = ("p", "q", "-f", "-g", "--long", "--lo", "x", "/tmp/d/x", "-fg")
COMMANDS = [("a", *tail) for size in range(4) for tail in product(WORDS, repeat=size)]
PLACED = '{"project": "allow", "temporary": "prompt"}'


def rule(draw: random.Random) -> tuple[str, str]:
    """An entry, or a rule about the program, by its name."""
    if draw.random() < 0.15:
        return "write", f"posture(write = {PLACED})"
    if draw.random() < 0.15:
        decision = draw.choice(("forbidden", "allow"))
        return "destroy", f'posture(destroy = "{decision}")'
    if draw.random() < 0.15:
        tail = draw.choice(([], ["p"], ["-f"], ["x"]))
        effects = draw.sample(EFFECTS, draw.choice((1, 2)))
        decision = draw.choice(("allow", "forbidden"))
        said = f'"{decision}", effects = {effects}'
        return f"rule{tail}", f"prefix_rule({['a', *tail]}, {said})"
    name = draw.choice(NAMES)
    options = {each[:2]: each for each in draw.sample(OPTIONS, draw.choice((0, 1, 2, 3)))}
    extra = draw.choice(("", "", "", ", abbreviations = True", ", stop_at_operand = True"))
    effect = f', effect = "{draw.choice(EFFECTS)}"' if draw.random() < 0.4 else ""
    said = f'"{" ".join(options.values())}", "{draw.choice(OPERANDS)}"{effect}{extra}'
    return name, f'program("{name}", {said})'


def load(rules: list[tuple[str, str]], memory: Memory) -> Side | None:
    """The policy in which the last of each name counts; one without a program is none."""
    texts = dict(rules)
    return loaded("\n".join(texts.values()), memory)


def requests() -> "Iterator[Request]":
    return map(command, COMMANDS)


KIND = Kind(rule, load, lambda side: decided(side, requests()), doubts=True)


P = ("a p", 'program("a p", "", "text remove*", effect = "write")')
WRITES = ("write", f"posture(write = {PLACED})")
GLOBAL = [
    (("a", 'program("a", "", "")'), ("a", 'program("a", "-g!execute --long", "text")')),
    (("a", 'program("a", "-g!execute", "text")'), ("a", 'program("a", "-g!write", "text")')),
    (
        ("a", 'program("a", "", "text", abbreviations = True)'),
        ("a", 'program("a", "--long", "text", abbreviations = True)'),
    ),
]


@pytest.mark.parametrize(("old", "new"), GLOBAL)
def test_an_option_in_front_of_a_subcommand(old: tuple[str, str], new: tuple[str, str]) -> None:
    """The subcommand needs an operand, and alone the option is as strict as before."""
    before, after = (load([P, WRITES, each], {}) for each in (old, new))
    assert before is not None
    assert after is not None
    proof = compare(before, after)
    assert proof.answer == LOOSER
    assert any("p x" in each.shown for each in proof.witnesses)


@seeds(2, 4)
def test_other_entries(seed: int) -> None:
    family(random.Random(seed), KIND, {}, 4)  # noqa: S311
