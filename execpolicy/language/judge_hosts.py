"""Judges calls of `host_executable` and `network_rule`."""

import posixpath

from execpolicy.decision import Decision
from execpolicy.language.calls import Call, Plain
from execpolicy.language.judge_prefix import DECISIONS, judge_decision, judge_justification
from execpolicy.language.network_names import normal_host
from execpolicy.language.signature import Parameter, Signature, bind, strings
from execpolicy.rule import HostExecutable, NetworkRule, Origin

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
    ),
    positional=4,
)

PROTOCOLS = {
    "http": "http",
    "https": "https",
    "https_connect": "https",
    "http-connect": "https",
    "socks5_tcp": "socks5_tcp",
    "socks5_udp": "socks5_udp",
}


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
    host = _host(str(given["host"]), report)
    if report.problems.count > before:
        return None
    return NetworkRule(host, protocol, decision, justification, origin)


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
