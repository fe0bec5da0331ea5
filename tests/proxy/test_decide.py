"""What rules say about connections: a manual in tables, and a model that agrees with it."""

import random

import pytest

from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.model.rule import NetworkRule
from execpolicy.policy.network_hosts import Attempt, decide
from execpolicy.policy.policy import Policy
from execpolicy.support.addresses import canonical, is_public
from execpolicy.support.hostname import Host, HostError, parse_authority, parse_host
from tests.proxy import model

SPELLED = {
    "EXAMPLE.com": "example.com",
    "example.com.": "example.com",
    "bücher.example": "xn--bcher-kva.example",
    "ｅxample.com": "example.com",
    "127.0.0.1": "127.0.0.1",
    "[::1]": "::1",
    "[::ffff:127.0.0.1]": "127.0.0.1",
    "0:0:0:0:0:ffff:7f00:1": "127.0.0.1",
    "_dmarc.example.com": "_dmarc.example.com",
}
REFUSED = [
    "", ".", "..", "a..b", ".a", "a b", "a/b", "a@b", "a:b", "a%00b", "-a.b", "a-.b", "a" * 64,
    "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "1.2.3", "1.2.3.4.5", "256.1.1.1",
    "example.1", "example.0x", "1.2.3.0x4", "[fe80::1%lo]", "fe80::1%25lo", "[127.0.0.1]", "[::1",
    "::ffff:127.0.0.01", "a\x00b", "exa\u200bmple.com/", "*.example.com",
]  # fmt: skip
AUTHORITIES = ["a", "a:", "a:0", "a:65536", "a:443:22", "::1:443", "a:+1", "a:٤٤٣", ":443", "a:1 "]


@pytest.mark.parametrize(("text", "host"), SPELLED.items())
def test_one_host_has_one_form(text: str, host: str) -> None:
    assert parse_host(text).text == host


@pytest.mark.parametrize("text", REFUSED)
def test_what_may_be_read_in_two_ways_is_no_host(text: str) -> None:
    with pytest.raises(HostError):
        parse_host(text)


@pytest.mark.parametrize("text", AUTHORITIES)
def test_an_authority_is_a_host_and_a_port(text: str) -> None:
    with pytest.raises(HostError):
        parse_authority(text)


PUBLIC = ["1.1.1.1", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1"]
NOT_PUBLIC = """
    0.0.0.0 10.0.0.5 100.64.0.1 100.100.100.200 127.0.0.1 127.8.8.8 168.63.129.16 169.254.169.254
    172.16.0.1 172.31.255.255 192.0.0.192 192.168.1.1 198.18.0.1 203.0.113.9 224.0.0.1
    255.255.255.255 :: ::1 ::7f00:1 ::ffff:10.0.0.5 ::ffff:0:7f00:1 64:ff9b::7f00:1
    64:ff9b::a9fe:a9fe 64:ff9b:1::808:808 100::1 2001::1 2001:0:808:808::1 2001:db8::1
    2002:7f00:1::1 2002:a00:5:: 2a00::5efe:a00:5 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1
    fec0::1 ff02::1
"""


@pytest.mark.parametrize("text", PUBLIC)
def test_public_addresses(text: str) -> None:
    assert is_public(canonical(text))


@pytest.mark.parametrize("text", NOT_PUBLIC.split())
def test_addresses_that_are_not_public_however_they_are_wrapped(text: str) -> None:
    assert not is_public(canonical(text))


RULES = """
network_rule("one.test", "https", "allow")
network_rule("plain.test", "http", "allow")
network_rule("*.below.test", "https", "allow")
network_rule("**.all.test", "https", "allow")
network_rule("no.all.test", "https", "deny", justification = "not this one")
network_rule("ask.all.test", "https", "prompt")
network_rule("**.bücher.test", "https", "allow")
network_rule("git.test", "ssh", "allow")
network_rule("port.test", "https", "allow", ports = [443, 8443])
network_rule("socks.test", "socks5_tcp", "allow")
network_rule("udp.test", "socks5_udp", "allow")
network_rule("read.test", "http", "allow", methods = ["GET", "HEAD", "OPTIONS"])
network_rule("read.test", "https", "allow", methods = ["GET", "HEAD", "OPTIONS"])
network_rule("nopost.test", "http", "allow")
network_rule("nopost.test", "http", "deny", methods = ["POST"])
network_rule("nossh.test", "https", "deny", ports = [22])
network_rule("127.0.0.1", "http", "allow", ports = [8080])
network_rule("localhost", "http", "allow", ports = [8080])
network_rule("10.0.0.5", "https", "prompt")
network_rule("1.2.3.4", "https", "deny")
network_rule("@mine", "https", "allow")
network_rule("@unknown", "https", "allow")
host_set("mine", ["set.test", "*.set.test"])
"""
GET, TUNNEL, SOCKS = ("http", "GET"), ("https", None), ("socks5_tcp", None)
CASES = [
    # host, port, way, decision, reason
    ("one.test", 443, TUNNEL, "allow", "rule"),
    ("one.test", 443, SOCKS, "allow", "rule"),
    ("one.test", 22, TUNNEL, "prompt", "port"),
    ("one.test", 80, GET, "prompt", "no-rule"),
    ("two.one.test", 443, TUNNEL, "prompt", "no-rule"),
    ("evilone.test", 443, TUNNEL, "prompt", "no-rule"),
    ("one.test.evil.test", 443, TUNNEL, "prompt", "no-rule"),
    ("plain.test", 80, GET, "allow", "rule"),
    ("plain.test", 8080, GET, "prompt", "port"),
    ("plain.test", 80, TUNNEL, "allow", "rule"),
    ("plain.test", 443, TUNNEL, "prompt", "port"),
    ("a.b.below.test", 443, TUNNEL, "allow", "rule"),
    ("below.test", 443, TUNNEL, "prompt", "no-rule"),
    ("all.test", 443, TUNNEL, "allow", "rule"),
    ("no.all.test", 443, TUNNEL, "forbidden", "rule"),
    ("no.all.test", 22, SOCKS, "forbidden", "rule"),
    ("ask.all.test", 443, TUNNEL, "prompt", "rule"),
    ("xn--bcher-kva.test", 443, TUNNEL, "allow", "rule"),
    ("git.test", 22, TUNNEL, "allow", "rule"),
    ("git.test", 443, TUNNEL, "prompt", "port"),
    ("port.test", 8443, TUNNEL, "allow", "rule"),
    ("port.test", 8444, TUNNEL, "prompt", "port"),
    ("socks.test", 9418, SOCKS, "allow", "rule"),
    ("udp.test", 53, SOCKS, "prompt", "no-rule"),
    ("read.test", 80, GET, "allow", "rule"),
    ("read.test", 80, ("http", "POST"), "forbidden", "method"),
    ("read.test", 443, TUNNEL, "forbidden", "tunnel"),
    ("nopost.test", 80, GET, "allow", "rule"),
    ("nopost.test", 80, ("http", "POST"), "forbidden", "rule"),
    ("nopost.test", 80, TUNNEL, "forbidden", "rule"),
    ("nossh.test", 22, TUNNEL, "forbidden", "rule"),
    ("nossh.test", 443, TUNNEL, "prompt", "no-rule"),
    ("127.0.0.1", 8080, GET, "allow", "rule"),
    ("::ffff:127.0.0.1", 8080, GET, "allow", "rule"),
    ("127.0.0.1", 22, TUNNEL, "prompt", "port"),
    ("localhost", 8080, GET, "allow", "rule"),
    ("a.localhost", 8080, GET, "forbidden", "address"),
    ("127.0.0.2", 8080, GET, "forbidden", "address"),
    ("::1", 8080, GET, "forbidden", "address"),
    ("10.0.0.5", 443, TUNNEL, "prompt", "rule"),
    ("1.2.3.4", 443, TUNNEL, "forbidden", "rule"),
    ("2002:102:304::1", 443, TUNNEL, "forbidden", "rule"),
    ("64:ff9b::102:304", 443, TUNNEL, "forbidden", "rule"),
    ("a.set.test", 443, TUNNEL, "allow", "rule"),
    ("unknown.test", 443, TUNNEL, "prompt", "no-rule"),
]


@pytest.fixture(scope="module")
def policy() -> Policy:
    return Policy(compile_text(RULES).rules)


@pytest.mark.parametrize(("host", "port", "way", "decision", "reason"), CASES)
def test_what_rules_say(
    policy: Policy, host: str, port: int, way: tuple[str, str | None], decision: str, reason: str
) -> None:
    ruling = decide(policy, Attempt(parse_host(host), way[0], port, way[1]))
    assert (ruling.decision.word, ruling.reason) == (decision, reason)


RESOLVED = [
    ("one.test", "8.8.8.8", "allow"),
    ("one.test", "1.2.3.4", "forbidden"),
    ("one.test", "10.0.0.6", "forbidden"),
    ("one.test", "10.0.0.5", "prompt"),
    ("one.test", "127.0.0.1", "prompt"),  # allowed on another port
    ("one.test", "169.254.169.254", "forbidden"),
    ("one.test", "64:ff9b::102:304", "forbidden"),
]


@pytest.mark.parametrize(("host", "address", "decision"), RESOLVED)
def test_an_address_is_judged_before_it_is_dialled(
    policy: Policy, host: str, address: str, decision: str
) -> None:
    attempt = Attempt(Host(host), "https", 443, None, Host(address, True))
    assert decide(policy, attempt).decision.word == decision


def test_a_project_adds_nothing_to_a_set_of_the_user() -> None:
    user = compile_text('network_rule("@s", "https", "allow")\nhost_set("s", ["a.test"])')
    project = compile_text('host_set("s", ["evil.test"])', "project.rules", "project")
    policy = Policy((*user.rules, *project.rules))
    assert decide(policy, Attempt(Host("a.test"), "https", 443)).decision is Decision.ALLOW
    assert decide(policy, Attempt(Host("evil.test"), "https", 443)).decision is Decision.PROMPT


@pytest.mark.parametrize(
    ("rules", "refused"),
    [
        ('network_rule("@gone", "https", "deny")', {"a.test", "b.test"}),
        ('network_rule("@s", "https", "deny")\nhost_set("s", ["a.test"])', {"a.test"}),
    ],
)
def test_a_rule_that_refuses_a_set_refuses_its_names_and_an_unknown_one_every_name(
    rules: str, refused: set[str]
) -> None:
    policy = Policy(compile_text(rules).rules)
    decisions = {
        host: decide(policy, Attempt(Host(host), "https", 443)).decision
        for host in ("a.test", "b.test")
    }
    assert {h for h, decision in decisions.items() if decision is Decision.FORBIDDEN} == refused


NAMES = ["a.test", "b.a.test", "c.b.a.test", "xa.test", "a.test.x", "localhost", "x.localhost"]
ADDRESSES = ["8.8.8.8", "127.0.0.1", "10.0.0.5", "1.1.1.1", "2606:4700::1111", "::1", "fe80::1"]


def spelled(random: random.Random, host: str) -> str:
    """The host as somebody might write it who wants it to be taken for another one."""
    if random.random() < 0.3:
        host = "".join(random.choice((c.upper(), c.lower())) for c in host)
    if random.random() < 0.2:
        host += random.choice((".", "..", "%25lo", " ", ":80"))
    if random.random() < 0.1 and ":" in host:
        host = f"[{host}]"
    if random.random() < 0.15 and host.count(".") == 3:
        number = random.choice((0, 1, 2, 3))
        parts = host.split(".")
        parts[number] = (
            random.choice((hex, oct, lambda n: f"0{n}"))(int(parts[number] or 0))
            if parts[number].isdigit()
            else parts[number]
        )
        host = random.choice(("", "::ffff:")) + ".".join(parts)
    return host


def any_rule(random: random.Random) -> str:
    name = random.choice((*NAMES, *ADDRESSES))
    stars = random.choice(("", "", "*.", "**.")) if name in NAMES else ""
    text = f'network_rule("{stars}{name}", "{random.choice([*model.PORT, "socks5_tcp"])}", '
    text += f'"{random.choice(("allow", "allow", "allow", "prompt", "deny"))}"'
    text += random.choice(("", "", ", ports = [80]", ", ports = [22, 443]"))
    return text + random.choice((")", ")", ")", ', methods = ["GET"])'))


@pytest.fixture(scope="module")
def pool() -> list[NetworkRule]:
    generator = random.Random(0)  # noqa: S311
    text = "\n".join(any_rule(generator) for _ in range(400))
    return [rule for rule in compile_text(text).rules if isinstance(rule, NetworkRule)]


@pytest.mark.parametrize("seed", range(10))
def test_random_spellings_and_rules_agree_with_the_model(
    seed: int, pool: list[NetworkRule]
) -> None:
    generator = random.Random(seed)  # noqa: S311
    allowed = 0
    for _ in range(1000):
        rules = generator.sample(pool, generator.randrange(1, 9))
        named = [rule.host.lstrip("*.") for rule in rules]
        text = spelled(generator, generator.choice((*named, generator.choice(NAMES + ADDRESSES))))
        expected = model.host_of(text)
        try:
            host = parse_host(text)
        except HostError:
            assert expected is None, text
            continue
        assert host.text == expected, text
        method = generator.choice((None, "GET", "POST"))
        protocol = "http" if method else generator.choice(("https", "socks5_tcp"))
        port = generator.choice((22, 80, 443))
        ruling = decide(Policy(rules), Attempt(host, protocol, port, method))
        assert ruling.decision is model.decide(rules, host.text, protocol, port, method), (
            text, protocol, port, method, rules,
        )  # fmt: skip
        allowed += not ruling.decision
    assert allowed > 20
