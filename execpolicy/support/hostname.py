"""A host as rules and clients write it, in the one form in which hosts are compared.

A text that two programs could read as two hosts is refused: `0x7f.1`, `0177.0.0.1`, `2130706433`.
"""

from execpolicy.support.record import Value

MAX_NAME, MAX_LABEL = 253, 63
"""RFC 1035, section 2.3.4, without the dot at the end."""
THIS_MACHINE = "localhost"
LOOPBACK = ("127.0.0.1", "::1")
"""What `localhost` means without a name server (RFC 6761, section 6.3)."""

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_HEX = frozenset("0123456789abcdef")


class HostError(ValueError):
    """A text is not a host, or could be read as more than one."""


class Host(Value):
    """A name in lower-case ASCII without a dot at its end, or an address in its shortest form."""

    text: str
    address: bool = False

    def __str__(self) -> str:
        return self.text


def parse_host(text: str) -> Host:
    """The host that a text names; an address of IPv6 may stand in brackets.

    Names of other scripts are taken in their ASCII form (IDNA 2008 after UTS 46). Raises
    `HostError`.

    >>> parse_host("EXAMPLE.com."), parse_host("[::ffff:7f00:1]")
    (Host(text='example.com', address=False), Host(text='127.0.0.1', address=True))
    """
    if text.startswith("[") and text.endswith("]"):
        return _address(text[1:-1], version=6)
    if ":" in text:
        return _address(text, version=6)
    name = (text if text.isascii() else _ascii(text)).lower().removesuffix(".")
    labels = name.split(".")
    if _is_number(labels[-1]):
        return _address(name, version=4)
    if not name or len(name) > MAX_NAME or not all(map(_is_label, labels)):
        raise HostError("it is not a host name")
    return Host(name)


def parse_authority(text: str) -> tuple[Host, int]:
    """The host and the port of `host:port`, both of which must be there. Raises `HostError`."""
    host, colon, port = text.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit() and 0 < len(port) <= 5):
        raise HostError("a port has to follow the host")
    if ":" in host and not (host.startswith("[") and host.endswith("]")):
        raise HostError("an address of IPv6 has to stand in brackets")
    if not 0 < int(port) < 65536:
        raise HostError("there is no such port")
    return parse_host(host), int(port)


def _address(text: str, version: int) -> Host:
    from execpolicy.support.addresses import canonical

    if version == 4 and text.count(".") != 3:
        raise HostError("a name that ends in a number is not an address as everyone reads it")
    if (version == 6) != (":" in text):
        raise HostError("only an address of IPv6 stands in brackets")
    try:
        return Host(str(canonical(text)), address=True)
    except ValueError as error:
        raise HostError(str(error)) from None


def _is_label(label: str) -> bool:
    return (
        0 < len(label) <= MAX_LABEL
        and _LETTERS.issuperset(label)
        and label[0] != "-"
        and label[-1] != "-"
    )


def _is_number(label: str) -> bool:
    """Whether some programs take a name that ends so for an address (URL standard, 3.5)."""
    if label.isdigit():
        return True
    return label[:2] == "0x" and _HEX.issuperset(label[2:])


def _ascii(text: str) -> str:
    import idna

    try:
        return idna.encode(text, uts46=True, std3_rules=True).decode("ascii")
    except (idna.IDNAError, UnicodeError) as error:
        raise HostError(f"it has no ASCII form: {error}") from None
