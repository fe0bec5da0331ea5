"""Which addresses are public: reachable by everyone, and no way into this machine or its network.

Source: the registries of special-purpose addresses of IANA (RFC 6890 and its successors), of
November 2026. Of IPv6 only `2000::/3` is given out at all.
"""

from _collections_abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

_IPV4 = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24
    198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
"""
"""The last one is not a special-purpose block: at it, machines of Azure reach their host."""
_IPV6 = """
    2001::/23 2001:db8::/32 2620:4f:8000::/48 3fff::/20
"""
_GIVEN_OUT = IPv6Network("2000::/3")
NOT_PUBLIC_4 = tuple(map(IPv4Network, _IPV4.split()))
NOT_PUBLIC_6 = tuple(map(IPv6Network, _IPV6.split()))

_TRANSLATED = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_LAST_32 = tuple(map(IPv6Network, ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96")))
_ISATAP = (0x00005EFE, 0x02005EFE)


def canonical(text: str) -> Address:
    """The address that a text means; one of IPv4 in IPv6 is that of IPv4.

    Raises `ValueError` for anything but the dotted form of four decimal numbers and the forms of
    RFC 4291; an address with a zone is none.
    """
    if "%" in text:
        raise ValueError("an address with a zone is not an address of another machine")
    address = ip_address(text)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def is_public(address: Address) -> bool:
    """Whether the address and all that are wrapped in it are public."""
    return all(_is_public(one) for one in unwrapped(address))


def unwrapped(address: Address) -> "Iterator[Address]":
    """The address itself, and each of IPv4 that a translator would take out of it.

    Wrapped are: mapped and compatible ones (RFC 4291), translated ones (RFC 6052, 7915), those of
    6to4 (RFC 3056) and of ISATAP (RFC 5214).
    """
    yield address
    if isinstance(address, IPv4Address):
        return
    number = int(address)
    if any(address in network for network in _LAST_32) or (number >> 32) & 0xFFFFFFFF in _ISATAP:
        yield IPv4Address(number & 0xFFFFFFFF)
    if address in _SIX_TO_FOUR:
        yield IPv4Address((number >> 80) & 0xFFFFFFFF)


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_4)
    if address in _TRANSLATED:
        return True  # as public as what it stands for
    return address in _GIVEN_OUT and not any(address in network for network in NOT_PUBLIC_6)
