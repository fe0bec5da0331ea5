"""A proof about hosts agrees with the engine and the proxy about every small host, at each port."""

import random
from itertools import product

import pytest

from execpolicy.model.operation import Connect, Request
from execpolicy.policy import network_hosts
from execpolicy.policy.network_hosts import HTTP, SOCKS, TUNNEL, Attempt
from execpolicy.prove.side import ROOT, Side, command
from execpolicy.prove.witness import LOOSER
from execpolicy.support.hostname import parse_host
from tests.prove.oracle import NOT_VALID, Kind, Memory, agree, decided, loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CATALOGUE = 'program("u", "", "url?", effect = "network")\n'
LABELS = ("a", "b", "x")
NAMES = [".".join(labels) for size in (1, 2, 3) for labels in product(LABELS, repeat=size)]
ADDRESSES = (
    *("93.184.215.14", "93.184.215.15", "10.0.0.1", "127.0.0.1", "169.254.169.254"),
    *("::1", "2606:4700::1111", "::ffff:10.0.0.1", "fd00::1", "64:ff9b::a00:1"),
)
HOSTS = (*NAMES, "localhost", "a.localhost", *ADDRESSES)
PORTS = (22, 80, 443, 8080, 9)
PROTOCOLS = ("http", "https", "ssh", "socks5_tcp", "socks5_udp")
METHODS = ("GET", "POST", "PUT")
STARS = ("", "", "*.", "**.")
SETS = ("@s", "@t")


def host(draw: random.Random, sets: bool = True) -> str:
    if draw.random() < 0.2:
        return draw.choice((*ADDRESSES, "localhost"))
    if sets and draw.random() < 0.2:
        return draw.choice(SETS)
    return draw.choice(STARS) + draw.choice(NAMES[:12])


def rule(draw: random.Random) -> str:
    """A rule of any kind that is about hosts."""
    if draw.random() < 0.15:
        names = [draw.choice(STARS) + draw.choice(NAMES) for _ in range(draw.choice((1, 2)))]
        return f'host_set("{draw.choice(SETS)[1:]}", {names})'
    if draw.random() < 0.1:
        decision = draw.choice(("allow", "prompt", "forbidden"))
        return f'posture({draw.choice(("network", "remote"))} = "{decision}")'
    said = [f'"{draw.choice(PROTOCOLS)}"', f'"{draw.choice(("allow", "allow", "prompt", "deny"))}"']
    if draw.random() < 0.3:
        said.append(f"ports = {draw.sample(PORTS, draw.choice((1, 2)))}")
    if draw.random() < 0.2:
        said.append(f"methods = {list(draw.sample(METHODS, 1))}".replace("'", '"'))
    return f'network_rule("{host(draw)}", {", ".join(said)})'


def requests() -> "Iterator[Request]":
    """Each host by a command and by a connection, as a rule for commands sees it."""
    for name in HOSTS:
        shown = f"[{name}]" if ":" in name else name
        for url in (f"https://{shown}/", f"http://{shown}/", f"https://{shown}:9/"):
            yield command(("u", url))
        for protocol in ("https", "http", "ssh", "tcp"):
            for port in (None, *PORTS):
                operations = (Connect(name, protocol, port=port),)
                yield Request(operations=operations, cwd=ROOT, root=ROOT)


def attempts() -> "Iterator[Attempt]":
    """Each way through the proxy, also to an address that a name has."""
    ways = [(TUNNEL, None), (SOCKS, None), *((HTTP, m) for m in (*METHODS, "HEAD"))]
    for one in map(parse_host, HOSTS):
        for (protocol, method), port in product(ways, PORTS):
            yield Attempt(one, protocol, port, method)
    name = parse_host("n.example")
    for address in map(parse_host, ADDRESSES):
        for (protocol, method), port in product(ways, PORTS):
            yield Attempt(name, protocol, port, method, address)


def decide(side: Side) -> bytes:
    dialled = (network_hosts.decide(side.policy, each).decision for each in attempts())
    return decided(side, requests()) + bytes(dialled)


def load(rules: list[str], memory: Memory) -> Side | None:
    return loaded(CATALOGUE + "\n".join(rules), memory)


KIND = Kind(rule, load, decide)


def pair(draw: random.Random, memory: Memory) -> str:
    """The answer about one random change of a policy."""
    old = [rule(draw) for _ in range(draw.choice((1, 2, 3, 4)))]
    new = [each for each in old if draw.random() < 0.8]
    new += [rule(draw) for _ in range(draw.choice((0, 1, 1, 2)))]
    if draw.random() < 0.5:
        old, new = new, old
    sides = [load(each, memory) for each in (old, new)]
    if sides[0] is None or sides[1] is None:
        return NOT_VALID
    return agree((sides[0], sides[1]), KIND, (old, new))


def test_what_a_wildcard_leaves() -> None:
    """A name below `x` that is not a name below `x.x`, as the label of an example might be."""
    rules = 'network_rule("*.x", "https", "allow")\nnetwork_rule("**.x.x", "ssh", "prompt")'
    sides = load([], {}), load([rules], {})
    assert sides[0] is not None
    assert sides[1] is not None
    assert agree((sides[0], sides[1]), KIND, [rules]) == LOOSER


@pytest.mark.parametrize("seed", [*range(12), 31846])  # a method that no rule names
def test_small_hosts(seed: int) -> None:
    pair(random.Random(seed), {})  # noqa: S311
