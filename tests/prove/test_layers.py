"""A proof about files of several layers agrees with the engine: what is not trusted does not
loosen, a broken file sets a floor, and rules of all kinds stand beside each other."""

import random

from execpolicy.commands.proving import side
from execpolicy.model.operation import Request
from execpolicy.prove.side import Side
from execpolicy.store import loader
from execpolicy.store.sources.files import RulesFile
from tests.examples import seeds
from tests.prove import test_conditions, test_hosts, test_paths
from tests.prove.oracle import Kind, Memory, decided, family

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
