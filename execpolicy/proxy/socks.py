"""The server's side of SOCKS5 (RFC 1928): no log-in, TCP connections only."""

from execpolicy.proxy.http1 import MalformedError
from execpolicy.support.hostname import Host, HostError, parse_host
from execpolicy.support.record import Value

VERSION = 5
NO_LOGIN, NO_METHOD = b"\x05\x00", b"\x05\xff"
CONNECT = 1
GRANTED, FAILED, NOT_ALLOWED, UNREACHABLE, NO_COMMAND, NO_TYPE = 0, 1, 2, 4, 7, 8
"""Replies of section 6."""
_IPV4, _NAME, _IPV6 = 1, 3, 4


class Wanted(Value):
    """What a request is for, and how many bytes it took."""

    host: Host
    port: int
    size: int


class UnsupportedError(MalformedError):
    """A request that is understood and not served; `code` is the reply to it."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


def greeting(data: bytes) -> tuple[int, bool] | None:
    """How many bytes the greeting took, and whether the client goes without a log-in.

    None where more has to come. Raises `MalformedError`.
    """
    if data[:1] != bytes((VERSION,)):
        raise MalformedError("this is not SOCKS5")
    if len(data) < 2 or len(data) < 2 + data[1]:
        return None
    return 2 + data[1], 0 in data[2 : 2 + data[1]]


def request(data: bytes) -> Wanted | None:
    """The request, or None where more has to come. Raises `MalformedError`."""
    if data[:1] not in (b"", b"\x05") or data[2:3] not in (b"", b"\x00"):
        raise MalformedError("this is not SOCKS5")
    if len(data) < 5:
        return None
    if data[1] != CONNECT:
        raise UnsupportedError(NO_COMMAND, "only connections of TCP are served")
    kind = data[3]
    start, length = (5, data[4]) if kind == _NAME else (4, {_IPV4: 4, _IPV6: 16}.get(kind, -1))
    if length < 0:
        raise UnsupportedError(NO_TYPE, "there is no such type of address")
    end = start + length
    if len(data) < end + 2:
        return None
    port = int.from_bytes(data[end : end + 2], "big")
    if not port:
        raise UnsupportedError(FAILED, "there is no port 0")
    return Wanted(_host(kind, data[start:end]), port, end + 2)


def reply(code: int) -> bytes:
    """The reply to a request. The address in it says nothing."""
    return bytes((VERSION, code, 0, _IPV4, 0, 0, 0, 0, 0, 0))


def _host(kind: int, data: bytes) -> Host:
    from ipaddress import ip_address

    try:
        return parse_host(data.decode("ascii") if kind == _NAME else str(ip_address(data)))
    except (HostError, UnicodeDecodeError) as error:
        raise UnsupportedError(NOT_ALLOWED, f"this is not a host: {error}") from None
