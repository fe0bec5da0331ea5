"""A proof about files of several layers agrees with the engine: what is not trusted does not
loosen, a broken file sets a floor, and rules of all kinds stand beside each other."""

import random

import pytest

from execpolicy.commands.proving import side
from execpolicy.model.operation import Request
from execpolicy.prove.side import Side
from execpolicy.prove.witness import LOOSER
from execpolicy.store import loader
from execpolicy.store.sources.files import RulesFile
from tests.examples import seeds
from tests.prove import test_conditions, test_hosts, test_paths
from tests.prove.oracle import Kind, Memory, decided, family, proved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Placed = tuple[str, bool, str]
    """A layer, whether its file is trusted, and a rule."""

CATALOGUE = test_conditions.CATALOGUE + test_paths.CATALOGUE + test_hosts.CATALOGUE
KINDS = (test_conditions.rule, test_paths.rule, test_hosts.rule)
LAYERS = ("system", "user", "user", "project", "project")
BROKEN = "broken", True, "prefix_rule("
BASE = {"broken": "user"}


def rule(draw: random.Random) -> "Placed":
    """A rule in a layer, or a file that cannot be read."""
    if draw.random() < 0.05:
        return BROKEN
    layer = draw.choice(LAYERS)
    trusted = layer != "project" or draw.random() < 0.5
    return layer, trusted, draw.choice(KINDS)(draw)


def load(rules: "list[Placed]", memory: Memory) -> Side | None:
    """The policy of these rules, those of a layer in one file; None where one is not valid."""
    files = [RulesFile("system", "/c.rules", CATALOGUE.encode())]
    for layer, trusted in dict.fromkeys((layer, trusted) for layer, trusted, _ in rules):
        text = "\n".join(r for a, b, r in rules if (a, b) == (layer, trusted))
        name = f"/{layer}{trusted}.rules"
        files.append(RulesFile(BASE.get(layer, layer), name, text.encode(), trusted=trusted))
    snapshot = loader.load(files, builtin=False, cached=False, memory=memory)
    wrong = {d.span.file for d in snapshot.diagnostics if d.severity == "error"}
    return side(snapshot) if wrong <= {"/brokenTrue.rules"} else None


def requests() -> "Iterator[Request]":
    """Every seventh of those of each kind, from another one each time."""
    yield from list(test_conditions.requests())[::7]
    yield from list(test_paths.requests())[::7]
    yield from list(test_hosts.requests())[::7]


def changed(draw: random.Random, placed: "Placed") -> "Placed":
    """The same rule; or its file is trusted from now on."""
    return (placed[0], True, placed[2]) if draw.random() < 0.1 else placed


KIND = Kind(rule, load, lambda side: decided(side, requests()), changed)


@seeds(1, 4)
def test_layers_trust_and_floors(seed: int) -> None:
    family(random.Random(seed), KIND, {}, 4)  # noqa: S311


ALLOWED = 'prefix_rule(["a", ["p", "q"]], "allow"'
WRITER = 'prefix_rule(["w"], "allow")'
LIFTED = [
    # what asks about a host, beside a rule that lifts the program: the host alone asks before and
    # after, the program to it does not
    ('network_rule("h.example", "https", "prompt")', f"{ALLOWED})"),
    ('network_rule("*.example", "https", "prompt")', f'{ALLOWED}, hosts = ["h.example"])'),
    ('network_rule("@t", "socks5_tcp", "prompt")', f"{ALLOWED}, confined = True)"),
    # the same of a path
    ('path_rule(["./a*"], modes = ["write"], decision = "prompt")', WRITER),
    ('path_rule(["~/a*"], modes = ["write"], decision = "prompt")', WRITER),
]


@pytest.mark.parametrize(("asks", "lifts"), LIFTED)
def test_what_asks_beside_a_rule_that_allows(asks: str, lifts: str) -> None:
    """A rule about a host or a path that is gone opens what a rule for a program lifts."""
    old = [("user", True, asks), ("user", True, lifts)]
    both = load(old, {}), load(old[1:], {})
    assert both[0] is not None
    assert both[1] is not None
    assert proved((both[0], both[1]), (asks, lifts)) == LOOSER
