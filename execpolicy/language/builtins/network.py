"""`network_rule` and `host_set`: a decision about a host, and hosts under one name."""

from execpolicy.language.builtins.arguments import (
    DECISIONS,
    decision_of,
    justification_of,
    normal_host,
)
from execpolicy.language.builtins.signature import Given, Parameter, Signature, strings
from execpolicy.language.calls import Plain
from execpolicy.language.problems import Reporter
from execpolicy.model.decision import Decision
from execpolicy.model.rule import HostSet, NetworkRule, Origin

NETWORK = Signature(
    "network_rule",
    (
        Parameter("host", ("string",), required=True),
        Parameter("protocol", ("string",), required=True),
        Parameter("decision", ("string",), required=True),
        Parameter("justification", ("string",)),
        Parameter("ports", ("list",)),
        Parameter("methods", ("list",)),
    ),
    positional=4,
)
HOST_SET = Signature(
    "host_set",
    (Parameter("name", ("string",), required=True), Parameter("hosts", ("list",), required=True)),
    positional=2,
)

PROTOCOLS = {
    "http": "http",
    "https": "https",
    "https_connect": "https",
    "http-connect": "https",
    "socks5_tcp": "socks5_tcp",
    "socks5_udp": "socks5_udp",
    "ssh": "ssh",
}
OWN = ("ssh",)
"""Protocols that Codex does not know."""
_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_METHOD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ-")


def network_rule(given: Given, origin: Origin, report: Reporter) -> NetworkRule:
    """The rule with its host normalised."""
    protocol = _protocol(str(given["protocol"]), report)
    decision = _decision(given["decision"], report)
    justification = justification_of(given.get("justification"), report)
    host = _pattern(str(given["host"]), report)
    ports = _ports(given.get("ports"), report)
    methods = _methods(given.get("methods"), report)
    return NetworkRule(host, protocol, decision, justification, origin, ports, methods)


def network_rule_of_codex(given: Given, origin: Origin, report: Reporter) -> NetworkRule:
    """The rule as Codex takes it: a whole host name, and no protocol of ours."""
    before = report.problems.count
    rule = network_rule(given, origin, report)
    if report.problems.count == before and rule.host[:1] == "*":
        report("network", f"invalid host `{rule.host}`: wildcards are not supported", at=rule.host)
    elif report.problems.count == before and rule.protocol in OWN:
        report("network", f"unknown protocol `{rule.protocol}`", at=rule.protocol)
    return rule


def host_set(given: Given, origin: Origin, report: Reporter) -> HostSet:
    """The set with its hosts normalised."""
    name = str(given["name"])
    if not name or not _SIGNS.issuperset(name):
        hint = "write lower-case letters, digits, `-` and `_`"
        report("network", f"`{name}` is not a name of a set", hint, name)
    values = strings(given["hosts"])
    if not values:
        report("network", "`hosts` must be a non-empty list of strings", at="hosts")
    hosts = tuple(_pattern(value, report) for value in values or ())
    for host in hosts:
        if host[:1] == "@" or ":" in host or host.rpartition(".")[2].isdigit():
            hint = "write names; an address needs a rule of its own"
            report("network", f"`{host}` cannot be in a set", hint, host)
    return HostSet(name, hosts, origin)


def _pattern(given: str, report: Reporter) -> str:
    """A host, a wildcard in front of one, or the name of a set."""
    if given[:1] == "@" and _SIGNS.issuperset(given[1:]) and given[1:]:
        return given
    stars = next((s for s in ("**.", "*.") if given.startswith(s)), "")
    host = _host(given[len(stars) :], report)
    if stars and (":" in host or host.rpartition(".")[2].isdigit()):
        hint = "a wildcard stands for names; write each address in a rule of its own"
        report("network", f"invalid host `{given}`: it is an address", hint, given)
    return stars + host


def _ports(given: Plain, report: Reporter) -> tuple[int, ...]:
    if given is None:
        return ()
    ports = tuple(n for n in given if type(n) is int and 0 < n < 65536)  # type: ignore[union-attr]
    if not ports or len(ports) != len(given):  # type: ignore[arg-type]
        report("network", "`ports` must be a non-empty list of numbers up to 65535", at="ports")
    return ports


def _methods(given: Plain, report: Reporter) -> tuple[str, ...]:
    if given is None:
        return ()
    methods = strings(given) or ()
    if not methods or not all(m and _METHOD.issuperset(m) for m in methods):
        hint = 'for reading alone write ["GET", "HEAD", "OPTIONS"]'
        report("network", "`methods` must be a non-empty list of upper-case words", hint, "methods")
    return tuple(methods)


def _protocol(word: str, report: Reporter) -> str:
    if word not in PROTOCOLS:
        hint = "write " + ", ".join(sorted(set(PROTOCOLS.values())))
        report("network", f"unknown protocol `{word}`", hint, word)
    return PROTOCOLS.get(word, word)


def _decision(word: Plain, report: Reporter) -> Decision:
    if word == "deny":
        return DECISIONS["forbidden"]
    return decision_of(word, report)


def _host(given: str, report: Reporter) -> str:
    try:
        return normal_host(given)
    except ValueError as error:
        report("network", f"invalid host `{given}`: {error}", "write a bare host name", given)
        return ""
