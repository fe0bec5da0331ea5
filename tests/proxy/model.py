"""What rules say about a connection, in the shortest words, without indexes and shortcuts."""

import ipaddress

from execpolicy.model.decision import Decision
from execpolicy.model.rule import NetworkRule

ALLOW, PROMPT, FORBIDDEN = Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN
PORT = {"http": 80, "https": 443, "ssh": 22}


def host_of(text: str) -> str | None:
    """The canonical host, or None where a text is none, or more than one."""
    name = text.encode("idna").decode() if not text.isascii() else text
    name = name.lower()
    name = name[:-1] if name.endswith(".") and ":" not in name else name
    bare = name[1:-1] if name[:1] == "[" and name[-1:] == "]" else name
    try:
        address = ipaddress.ip_address(bare)
        return None if "%" in bare or (bare != name and address.version == 4) else plain(address)
    except ValueError:
        last = name.split(".")[-1]
        number = last.isdigit() or (last[:2] == "0x" and not last[2:].strip("0123456789abcdef"))
        good = all(label.strip("-") == label != "" for label in name.split("."))
        letters = not name.strip("abcdefghijklmnopqrstuvwxyz0123456789-_.")
        return name if good and letters and not number else None


def plain(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    return str(getattr(address, "ipv4_mapped", None) or address)


def public(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        address = ipaddress.ip_address(host)
        return address.is_global and (address.version == 4 or int(address) >> 125 == 1)
    except ValueError:
        return True


def about(rule: NetworkRule, host: str) -> bool:
    stars, _dot, domain = rule.host.partition(".") if rule.host[:1] == "*" else ("", "", rule.host)
    base = host_of(domain)
    if not stars:
        return host == base
    name = not host.replace(".", "").isdigit() and ":" not in host
    return name and (host.endswith(f".{base}") or (stars == "**" and host == base))


def decide(
    rules: list[NetworkRule], host: str, protocol: str, port: int, method: str | None
) -> Decision:
    found = [r for r in rules if about(r, host)]
    concerned = [r for r in found if not r.ports or port in r.ports]
    concerned = [r for r in concerned if not r.methods or method in (None, *r.methods)]
    stricter = max((r.decision for r in concerned), default=ALLOW)
    if stricter is FORBIDDEN:
        return FORBIDDEN
    if not public(host) and all("*" in r.host for r in found):
        return FORBIDDEN
    if stricter is PROMPT:
        return PROMPT
    ways = [r for r in found if r.decision is ALLOW and (public(host) or "*" not in r.host)]
    ways = [r for r in ways if (r.protocol == "http" if method else r.protocol != "socks5_udp")]
    ways = [r for r in ways if port in (r.ports or [PORT.get(r.protocol, port)])]
    if any(not r.methods or method in r.methods for r in ways):
        return ALLOW
    return FORBIDDEN if ways else PROMPT
