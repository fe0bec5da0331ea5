"""The hosts that a new policy lets through where an old one does not.

A pattern of hosts is a suffix: a host is told from others by the longest named domain that it is or
lies below. So each named domain and a name below it stand for all hosts.
"""

from collections.abc import Container, Iterable, Iterator

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Connect, Request
from execpolicy.model.rule import NetworkRule
from execpolicy.policy.network_hosts import (
    HTTP,
    PORTS,
    SOCKS,
    TUNNEL,
    Attempt,
    Ruling,
    is_about,
    patterns,
)
from execpolicy.policy.network_hosts import decide as ruling
from execpolicy.prove.inclusion.word_states import ordinary
from execpolicy.prove.samples import allowed
from execpolicy.prove.side import DECISION, OTHER_HOST, ROOT, Side, command
from execpolicy.prove.witness import Reason, Witness, looser
from execpolicy.support.hostname import Host, HostError, parse_host

Rule = tuple[NetworkRule, tuple[str, ...]]

MAX_WITNESSES = 12
OTHER_PORT = 4711
METHODS = ("PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE")
"""Methods of RFC 9110 and RFC 5789, of which one that no rule names stands for all such."""


def loosened_hosts(
    both: tuple[Side, Side],
    fields: tuple[str, ...],
    _unknown: dict[str, None],
    everything: bool = False,
) -> list[Witness]:
    """Hosts about which the second policy is looser, at most one for each rule.

    `everything`: also those about which no rule differs.
    """
    before, after = [dict(_rules(side)) for side in both]
    differing = [r for k, r in (before | after).items() if (k in before) is not (k in after)]
    if not differing and not everything:
        return []
    every = [*before.values(), *after.values()]
    ports = _ports(rule for rule, _ in every)
    named_methods = [m for rule, _ in every for m in rule.methods]
    other = [m for m in METHODS if m not in named_methods][:1]
    methods = tuple(dict.fromkeys((*named_methods, *other)))
    found: dict[object, Witness] = {}
    lifted = [host.lstrip("*.") for host in _lifted(both) if host[:1] != "@"]
    programs = allowed(both, f"https://{OTHER_HOST}/")
    for host in _hosts(every, lifted):
        touched = any(is_about(p, host) for _, named in differing for p in named)
        if not touched and not everything:
            continue
        for port in ports:
            witness = _at(host, port, methods, both, fields)
            witness = witness or _by_programs(host, port, programs, both, fields)
            if witness is not None:
                found.setdefault((witness.old.origin, witness.new.origin), witness)
        if len(found) >= MAX_WITNESSES:
            break
    return list(found.values())


def _rules(side: Side) -> Iterator[tuple[object, Rule]]:
    for rule in side.policy.network:
        hosts = tuple(patterns(side.policy, rule))
        key = frozenset(hosts), rule.protocol, rule.decision, rule.ports, rule.methods
        yield (*key, rule.host[:1] in ("*", "@")), (rule, hosts)


def _ports(rules: Iterable[NetworkRule]) -> tuple[int | None, ...]:
    named = (port for rule in rules for port in rule.ports)
    return (None, *dict.fromkeys((*PORTS.values(), *named, OTHER_PORT)))


def _lifted(both: tuple[Side, Side]) -> Iterator[str]:
    """The hosts that conditions of rules name."""
    conditions = (rule.conditions for side in both for rule in side.policy.rules)
    return (host for each in conditions if each for host in each.hosts)


def _hosts(rules: Iterable[Rule], lifted: Iterable[str]) -> Iterator[Host]:
    """A host of each class: what is named, a name below it, and one of which nothing is said."""
    every = (pattern.lstrip("*.") for _, named in rules for pattern in named)
    domains = [*dict.fromkeys(filter(None, (*every, *lifted)))]
    labels = {label for domain in domains for label in domain.split(".")}
    other = ordinary(labels)
    texts = [text for domain in domains for text in (domain, f"{other}.{domain}")]
    texts.sort(key=lambda text: text.count("."))
    for text in (*texts, f"host.{other}", *_other_address(domains)):
        try:
            yield parse_host(text)
        except HostError:
            continue


def _other_address(named: Container[str]) -> list[str]:
    return [a for a in (f"93.184.215.{n}" for n in range(14, 254)) if a not in named][:1]


def _at(
    host: Host,
    port: int | None,
    methods: tuple[str, ...],
    both: tuple[Side, Side],
    fields: tuple[str, ...],
) -> Witness | None:
    """The witness that a host is at a port, by a command or through the proxy."""
    shown = f"[{host}]" if ":" in host.text else str(host)
    for protocol in ("https", "http", "ssh", "tcp"):
        subject = Connect(host.text, protocol, port=port)
        request = Request(operations=(subject,), cwd=ROOT, root=ROOT)
        where = f"{protocol}://{shown}" + (f":{port}" if port else "")
        found = looser("host", where, request, both, fields)
        if found is not None:
            return found
    return _dialled(host, shown, port, methods, both) if port else None


def _by_programs(
    host: Host,
    port: int | None,
    programs: Iterable[tuple[str, ...]],
    both: tuple[Side, Side],
    fields: tuple[str, ...],
) -> Witness | None:
    """The witness that a host is for a program that a rule allows."""
    shown = f"[{host}]" if ":" in host.text else str(host)
    for words in programs:
        for protocol in PORTS:
            url = f"{protocol}://{shown}" + (f":{port}/" if port else "/")
            found = looser("command", " ".join((*words, url)), command((*words, url)), both, fields)
            if found is not None:
                return found
    return None


def _dialled(
    host: Host, shown: str, port: int, methods: tuple[str, ...], both: tuple[Side, Side]
) -> Witness | None:
    """The witness that a connection through the proxy is, which commands need not name."""
    ways = [(TUNNEL, None), (SOCKS, None), *((HTTP, m) for m in (*methods, "GET", "POST"))]
    for protocol, method in ways:
        resolved = [None, host] if host.address else [None]
        for address in resolved:
            attempt = Attempt(host, protocol, port, method, address)
            old, new = (ruling(side.policy, attempt) for side in both)
            if new.decision < old.decision:
                before, after = _reason(old), _reason(new)
                request = Request(
                    operations=(Connect(host.text, protocol, port=port),), cwd=ROOT, root=ROOT
                )
                way = f"{method} http" if method else protocol
                seen = f"{way}://{shown}:{port}"
                return Witness("host", seen, request, DECISION, before, after, attempt)
    return None


def _reason(found: Ruling) -> Reason:
    """The rule, where it is one about this very way to the host."""
    rule = found.rule
    said = rule if found.reason == "rule" else None
    return Reason(Decision(found.decision), found.why, rule.origin if rule else None, said)
