"""A proof about files of several layers agrees with the engine: what is not trusted does not
loosen, a broken file sets a floor, and rules of all kinds stand beside each other."""

import random

import pytest

from execpolicy.commands.proving import side
from execpolicy.model.operation import Request
from execpolicy.prove.side import Side
from execpolicy.store import loader
from execpolicy.store.sources.files import RulesFile
from tests.prove import test_conditions, test_hosts, test_paths
from tests.prove.oracle import Memory, agree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Placed = tuple[str, bool, str]
    """A layer, whether its file is trusted, and a rule."""

CATALOGUE = test_conditions.CATALOGUE + test_paths.CATALOGUE + test_hosts.CATALOGUE
KINDS = (test_conditions.rule, test_paths.rule, test_hosts.rule)
LAYERS = ("system", "user", "user", "project", "project")
BROKEN = "prefix_rule("


def rule(draw: random.Random) -> "Placed":
    layer = draw.choice(LAYERS)
    trusted = layer != "project" or draw.random() < 0.5
    return layer, trusted, draw.choice(KINDS)(draw)


def loaded(rules: "list[Placed]", broken: bool, memory: Memory) -> Side | None:
    """The policy of these rules, those of a layer in one file; None where one is not valid."""
    files = [RulesFile("system", "/c.rules", CATALOGUE.encode())]
    for layer, trusted in dict.fromkeys((layer, trusted) for layer, trusted, _ in rules):
        text = "\n".join(r for a, b, r in rules if (a, b) == (layer, trusted))
        files.append(RulesFile(layer, f"/{layer}{trusted}.rules", text.encode(), trusted=trusted))
    if broken:
        files.append(RulesFile("user", "/broken.rules", BROKEN.encode()))
    snapshot = loader.load(files, builtin=False, cached=False, memory=memory)
    wrong = {d.span.file for d in snapshot.diagnostics if d.severity == "error"}
    return side(snapshot) if wrong <= {"/broken.rules"} else None


def requests() -> "Iterator[Request]":
    """Every seventh of those of each kind, from another one each time."""
    yield from list(test_conditions.requests())[::7]
    yield from list(test_paths.requests())[::7]
    yield from list(test_hosts.requests())[::7]


def pair(draw: random.Random, memory: Memory) -> str:
    """The answer about one random change of a policy."""
    old = [rule(draw) for _ in range(draw.choice((1, 2, 3, 4)))]
    new = [each for each in old if draw.random() < 0.8]
    new += [rule(draw) for _ in range(draw.choice((0, 1, 1, 2)))]
    if draw.random() < 0.3:  # a file is trusted from now on, or no longer
        new = [(layer, True, text) for layer, _, text in new]
    if draw.random() < 0.5:
        old, new = new, old
    floors = [draw.random() < 0.15, draw.random() < 0.15]
    sides = [loaded(rules, b, memory) for rules, b in zip((old, new), floors, strict=True)]
    if sides[0] is None or sides[1] is None:
        return "not valid"
    return agree((sides[0], sides[1]), requests, (old, new, floors))


@pytest.mark.parametrize("seed", range(8))
def test_layers_trust_and_floors(seed: int) -> None:
    pair(random.Random(seed), {})  # noqa: S311
