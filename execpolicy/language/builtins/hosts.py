"""Judges calls of `host_executable`, `network_rule` and `host_set`."""

import posixpath

from execpolicy.language.builtins.network_names import normal_host
from execpolicy.language.builtins.prefix import DECISIONS, judge_decision, judge_justification
from execpolicy.language.builtins.signature import Parameter, Signature, bind, strings
from execpolicy.language.calls import Call, Plain
from execpolicy.model.decision import Decision
from execpolicy.model.rule import HostExecutable, HostSet, NetworkRule, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.language.problems import Reporter

EXECUTABLE = Signature(
    "host_executable",
    (Parameter("name", ("string",), True), Parameter("paths", ("list",), True)),
    positional=2,
)
NETWORK = Signature(
    "network_rule",
    (
        Parameter("host", ("string",), True),
        Parameter("protocol", ("string",), True),
        Parameter("decision", ("string",), True),
        Parameter("justification", ("string",)),
        Parameter("ports", ("list",)),
        Parameter("methods", ("list",)),
    ),
    positional=4,
)
HOST_SET = Signature(
    "host_set",
    (Parameter("name", ("string",), True), Parameter("hosts", ("list",), True)),
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


def judge_executable(call: Call, origin: Origin, report: "Reporter") -> HostExecutable | None:
    """The declaration, or None after a problem was reported."""
    given = bind(call, EXECUTABLE, report)
    if given is None:
        return None
    name = str(given["name"])
    if not name.strip() or name in (".", "..") or "/" in name:
        report("executable", f"`{name}` is not a bare program name", "leave out the path", name)
        return None
    paths: dict[str, None] = {}
    values = strings(given["paths"])
    if values is None:
        report("executable", "`paths` must hold strings only", at="paths")
        return None
    for value in values:
        path = normal(value)
        if not value.startswith("/"):
            report("executable", f"`{value}` is not an absolute path", "begin it with `/`", value)
        elif path.rpartition("/")[2] != name:
            report("executable", f"`{value}` does not end in `{name}`", at=value)
        else:
            paths[path] = None
    return HostExecutable(name, tuple(paths), origin)


def normal(path: str) -> str:
    """An absolute path without `.`, `..`, doubled or trailing slashes."""
    return "/" + posixpath.normpath(path).lstrip("/")


def judge_network(call: Call, origin: Origin, report: "Reporter") -> NetworkRule | None:
    """The rule with its host normalised, or None after a problem was reported."""
    given = bind(call, NETWORK, report)
    if given is None:
        return None
    before = report.problems.count
    protocol = _protocol(str(given["protocol"]), report)
    decision = _decision(given["decision"], report)
    justification = judge_justification(given.get("justification"), report)
    host = _pattern(str(given["host"]), report)
    ports = _ports(given.get("ports"), report)
    methods = _methods(given.get("methods"), report)
    if report.problems.count > before:
        return None
    return NetworkRule(host, protocol, decision, justification, origin, ports, methods)


def judge_network_of_codex(call: Call, origin: Origin, report: "Reporter") -> NetworkRule | None:
    """The rule as Codex takes it: a whole host name, and no protocol of ours."""
    rule = judge_network(call, origin, report)
    if rule is not None and rule.host[:1] == "*":
        report("network", f"invalid host `{rule.host}`: wildcards are not supported", at=rule.host)
        return None
    if rule is not None and rule.protocol in OWN:
        report("network", f"unknown protocol `{rule.protocol}`", at=rule.protocol)
        return None
    return rule


def judge_host_set(call: Call, origin: Origin, report: "Reporter") -> HostSet | None:
    """The set with its hosts normalised, or None after a problem was reported."""
    given = bind(call, HOST_SET, report)
    if given is None:
        return None
    before = report.problems.count
    name = str(given["name"])
    if not name or not _SIGNS.issuperset(name):
        hint = "write lower-case letters, digits, `-` and `_`"
        report("network", f"`{name}` is no name of a set", hint, name)
    values = strings(given["hosts"])
    if not values:
        report("network", "`hosts` must be a non-empty list of strings", at="hosts")
    hosts = tuple(_pattern(value, report) for value in values or ())
    for host in hosts:
        if host[:1] == "@" or ":" in host or host.rpartition(".")[2].isdigit():
            hint = "write names; an address needs a rule of its own"
            report("network", f"`{host}` cannot be in a set", hint, host)
    return None if report.problems.count > before else HostSet(name, hosts, origin)


def _pattern(given: str, report: "Reporter") -> str:
    """A host, a wildcard in front of one, or the name of a set."""
    if given[:1] == "@" and _SIGNS.issuperset(given[1:]) and given[1:]:
        return given
    stars = next((s for s in ("**.", "*.") if given.startswith(s)), "")
    host = _host(given[len(stars) :], report)
    if stars and (":" in host or host.rpartition(".")[2].isdigit()):
        hint = "a wildcard stands for names; write each address in a rule of its own"
        report("network", f"invalid host `{given}`: it is an address", hint, given)
    return stars + host


def _ports(given: Plain, report: "Reporter") -> tuple[int, ...]:
    if given is None:
        return ()
    ports = tuple(n for n in given if type(n) is int and 0 < n < 65536)  # type: ignore[union-attr]
    if not ports or len(ports) != len(given):  # type: ignore[arg-type]
        report("network", "`ports` must be a non-empty list of numbers up to 65535", at="ports")
    return ports


def _methods(given: Plain, report: "Reporter") -> tuple[str, ...]:
    if given is None:
        return ()
    methods = strings(given) or ()
    if not methods or not all(m and _METHOD.issuperset(m) for m in methods):
        hint = 'for reading alone write ["GET", "HEAD", "OPTIONS"]'
        report("network", "`methods` must be a non-empty list of upper-case words", hint, "methods")
    return tuple(methods)


def _protocol(word: str, report: "Reporter") -> str:
    if word not in PROTOCOLS:
        hint = "write " + ", ".join(sorted(set(PROTOCOLS.values())))
        report("network", f"unknown protocol `{word}`", hint, word)
    return PROTOCOLS.get(word, word)


def _decision(word: Plain, report: "Reporter") -> Decision:
    if word == "deny":
        return DECISIONS["forbidden"]
    return judge_decision(word, report)


def _host(given: str, report: "Reporter") -> str:
    try:
        return normal_host(given)
    except ValueError as error:
        report("network", f"invalid host `{given}`: {error}", "write a bare host name", given)
        return ""
