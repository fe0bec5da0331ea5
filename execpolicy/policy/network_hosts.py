"""What the rules say about a connection: one pure function, for commands and for the proxy.

A rule that tightens matches loosely: whatever the port of a tunnel hides, it is about. A rule that
loosens matches strictly. What is not public is reached only by a rule that allows it by its
address: no name and no wildcard allows that.
"""

from _collections_abc import Iterable, Iterator

from execpolicy.model.decision import Decision
from execpolicy.model.rule import NetworkRule, Origin
from execpolicy.policy.policy import Policy
from execpolicy.support.hostname import THIS_MACHINE, Host, HostError, parse_host
from execpolicy.support.record import Value
from execpolicy.support.resources import BUILTIN

HTTP, TUNNEL, SOCKS = "http", "https", "socks5_tcp"
"""The ways through the proxy, by the protocol of the rules that are about them."""
PORTS = {"http": 80, "https": 443, "ssh": 22}
"""The port that a protocol means where a rule names none. `socks5_tcp` means every one."""
TUNNELLED = ("https", "ssh")
"""The protocols of the rules that allow nothing but tunnels, to one port each."""
SET = "@"
MAX_RULINGS = 1024
NO_RULE = "no-rule"
UNDECIDED = (NO_RULE, "port")
"""The reasons of a ruling for what no rule is about: another rule would allow it."""
ALLOWABLE = (*UNDECIDED, "address")
"""The same with what is not asked about, and only a rule for its very address allows."""


class Attempt(Value):
    """A connection that is asked for. `method` is known only of a plain request of HTTP.

    `resolved` is an address that the name has, to be judged before it is dialled.
    """

    host: Host
    protocol: str
    port: int
    method: str | None = None
    resolved: Host | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        """What makes two attempts the same question."""
        return str(self.resolved or self.host), self.protocol, self.port

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host.text else str(self.host)
        return f"{host}:{self.port}"


class Ruling(Value):
    """The decision about an attempt, a word and a sentence for why, and the rule if one made it.

    Reasons: `rule`, `no-rule`, `port`, `method`, `tunnel`, `address`.
    """

    decision: Decision
    reason: str
    why: str
    rule: NetworkRule | None = None


def decide(policy: Policy, attempt: Attempt) -> Ruling:
    """What the rules say about an attempt; about its resolved address where it has one."""
    host = attempt.resolved or attempt.host
    about = [rule for rule in policy.network if _names(policy, rule, host)]
    wrapped = [
        rule for one in _wrapped(host) for rule in policy.network if is_about(rule.host, one)
    ]
    tightening = [r for r in (*about, *wrapped) if r.decision and _concerns(r, attempt)]
    strictest = max(tightening, key=lambda rule: rule.decision, default=None)
    if strictest and strictest.decision is Decision.FORBIDDEN:
        return _by(strictest)
    public = _is_public(host)
    if not public:
        about = [rule for rule in about if rule.host[:1] not in ("*", SET)]
        if not about:
            return Ruling(Decision.FORBIDDEN, "address", _not_public(attempt))
    if strictest:
        return _by(strictest)
    if public and attempt.resolved is not None:
        return Ruling(Decision.ALLOW, "rule", "the address is public")
    return _allowed(attempt, [rule for rule in about if not rule.decision])


class Rulings:
    """What a policy says about the attempts of one proxy, each decided once.

    Another policy begins anew: a rule that changed holds from the next attempt on.
    """

    def __init__(self) -> None:
        self._policy: Policy | None = None
        self._known: dict[tuple[object, ...], Ruling] = {}

    def of(self, policy: Policy, attempt: Attempt) -> Ruling:
        """What the rules of this policy say about an attempt."""
        if policy is not self._policy or len(self._known) >= MAX_RULINGS:
            self._policy, self._known = policy, {}
        resolved = attempt.resolved.text if attempt.resolved else None
        key = attempt.host.text, attempt.protocol, attempt.port, attempt.method, resolved
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = decide(policy, attempt)
        return known


def narrowest_rule(attempt: Attempt) -> NetworkRule:
    """The rule that allows this way to this host and port, and nothing else.

    A tunnel is known by its port: the rule for one to port 22 is for `ssh`.
    """
    host = (attempt.resolved or attempt.host).text
    protocol = attempt.protocol
    if protocol != HTTP:
        protocol = next((p for p in TUNNELLED if PORTS[p] == attempt.port), protocol)
    ports = () if PORTS.get(protocol) == attempt.port else (attempt.port,)
    return NetworkRule(host, protocol, Decision.ALLOW, None, Origin("", "", 0), ports)


def rules_for_command(
    policy: Policy, host: str, protocol: str, port: int | None
) -> list[NetworkRule]:
    """The rules about a host that a command names, before anything is dialled.

    One that allows holds for its own protocol and its ports. Which method a command uses is not
    known here, so none with `methods` allows.
    """
    try:
        known = parse_host(host)
    except HostError:  # no rule allows what is not a host, one for this text may refuse it
        text = host.rstrip(".").lower()
        return [rule for rule in policy.network if rule.decision and rule.host == text]
    about = [rule for rule in policy.network if _names(policy, rule, known)]
    public = _is_public(known)
    return [
        rule
        for rule in about
        if rule.decision
        or (_grants(rule, protocol, port) and (public or rule.host[:1] not in ("*", SET)))
    ]


def _grants(rule: NetworkRule, protocol: str, port: int | None) -> bool:
    if rule.protocol != protocol or rule.methods:
        return False
    ports = allowed_ports(rule)
    if port is None:
        return not rule.ports
    return ports is None or port in ports


def _names(policy: Policy, rule: NetworkRule, host: Host) -> bool:
    """Whether the rule is about this host, by its text alone."""
    return any(is_about(pattern, host) for pattern in patterns(policy, rule))


def patterns(policy: Policy, rule: NetworkRule) -> Iterator[str]:
    """The hosts of a rule. Of a set that is not defined, a rule that tightens is about every name.

    A set has what ships under its name and what the rule's own file says.
    """
    if rule.host[:1] != SET:
        yield rule.host
        return
    known = False
    for one in policy.host_sets:
        if one.name != rule.host[1:]:
            continue
        if one.origin.layer == BUILTIN or one.origin.file == rule.origin.file:
            known = True
            yield from one.hosts
    if not known and rule.decision:
        yield "**"


REGISTRIES = "registries"
"""The set of the hosts that package managers download from."""


def is_registry(policy: Policy, host: Host) -> bool:
    """Whether a host is one of the registries that ship."""
    shipped = (one for one in policy.host_sets if one.origin.layer == BUILTIN)
    return any(
        is_about(each, host) for one in shipped if one.name == REGISTRIES for each in one.hosts
    )


def opens_more(policy: Policy) -> bool:
    """Whether the rules let through, or ask about, any host but registries."""
    return any(
        rule.decision is not Decision.FORBIDDEN and rule.host != SET + REGISTRIES
        for rule in policy.network
    )


def is_about(pattern: str, host: Host) -> bool:
    """Whether a pattern of a rule names this host; a wildcard never names an address."""
    if pattern[:1] != "*":
        return pattern == host.text or _text(pattern) == host.text
    if host.address:
        return False
    stars, _, domain = pattern.partition(".")
    if not domain:
        return True
    domain = _text(domain)
    return host.text.endswith(f".{domain}") or (stars == "**" and host.text == domain)


def allowed_ports(rule: NetworkRule) -> Iterable[int] | None:
    """The ports that a rule is about; None for all."""
    if rule.ports:
        return rule.ports
    return (PORTS[rule.protocol],) if rule.protocol in PORTS else None


def _allowed(attempt: Attempt, rules: list[NetworkRule]) -> Ruling:
    """The ruling of rules that allow the host, of which none may allow this way to it."""
    misses: list[Ruling] = []
    for rule in rules:
        miss = _miss(rule, attempt)
        if miss is None:
            return _by(rule)
        misses.append(miss)
    if misses:
        return max(misses, key=lambda miss: miss.decision)
    return Ruling(Decision.PROMPT, NO_RULE, f"no rule allows `{attempt.host}`")


def _miss(rule: NetworkRule, attempt: Attempt) -> Ruling | None:
    """Why a rule that allows the host does not allow this; None if it does."""
    ports = allowed_ports(rule)
    plain = attempt.protocol == HTTP
    if rule.protocol == "socks5_udp" or (plain and rule.protocol != HTTP):
        why = f"the rule for `{attempt.host}` is for {rule.protocol}"
        return Ruling(Decision.PROMPT, NO_RULE, why, rule)
    if ports is not None and attempt.port not in ports:
        why = f"the rule for `{attempt.host}` is for port {', '.join(map(str, ports))}"
        return Ruling(Decision.PROMPT, "port", why, rule)
    if rule.methods and attempt.method is None:
        why = f"`{attempt.host}` may only be read, and what goes through a tunnel cannot be seen"
        return Ruling(Decision.FORBIDDEN, "tunnel", why, rule)
    if rule.methods and attempt.method not in rule.methods:
        why = f"`{attempt.host}` may only be asked with {', '.join(rule.methods)}"
        return Ruling(Decision.FORBIDDEN, "method", why, rule)
    return None


def _concerns(rule: NetworkRule, attempt: Attempt) -> bool:
    """Whether a rule that tightens is about this way to its host."""
    if rule.ports and attempt.port not in rule.ports:
        return False
    return not rule.methods or attempt.method is None or attempt.method in rule.methods


def _by(rule: NetworkRule) -> Ruling:
    said = f"a rule for `{rule.host}` says {rule.decision.word}"
    return Ruling(rule.decision, "rule", rule.justification or said, rule)


def is_this_machine(host: Host) -> bool:
    """Whether the name means this machine, whatever a name server says (RFC 6761)."""
    return host.text == THIS_MACHINE or host.text.endswith(f".{THIS_MACHINE}")


def _is_public(host: Host) -> bool:
    if not host.address:
        return not is_this_machine(host)
    from execpolicy.support.addresses import canonical, is_public

    return is_public(canonical(host.text))


def _not_public(attempt: Attempt) -> str:
    if attempt.resolved is None:
        return f"`{attempt.host}` is not public: only a rule for this very host allows it"
    shown = f"`{attempt.host}` has the address {attempt.resolved}, which is not public"
    return f"{shown}: only a rule for this very address allows it"


def _wrapped(host: Host) -> Iterator[Host]:
    if not host.address or ":" not in host.text:
        return
    from execpolicy.support.addresses import canonical, unwrapped

    yield from (Host(str(one), address=True) for one in list(unwrapped(canonical(host.text)))[1:])


_known: dict[str, str] = {}
_MAX_KNOWN = 4096


def _text(pattern: str) -> str:
    """The form of a rule's host in which hosts are compared; empty where no host has it."""
    found = _known.get(pattern)
    if found is None:
        try:
            found = parse_host(pattern).text
        except HostError:
            found = ""
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        _known[pattern] = found
    return found
