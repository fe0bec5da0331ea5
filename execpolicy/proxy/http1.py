"""Messages of HTTP/1.1 by h11: strict, and each written anew from what was understood.

Nothing that h11 did not parse reaches the other side, so two readers cannot differ about where a
message ends.
"""

from collections.abc import Iterable
from functools import lru_cache

import h11

from execpolicy.model.errors import ExecPolicyError
from execpolicy.support.hostname import Host, HostError, parse_authority, parse_host
from execpolicy.support.record import Value

Headers = tuple[tuple[bytes, bytes], ...]

MAX_HEAD = 16 * 1024
_HOP = frozenset(
    b"connection proxy-connection keep-alive proxy-authorization proxy-authenticate te trailer "
    b"upgrade".split()
)
"""Headers between two neighbours (RFC 9110, section 7.6.1)."""
_AUTHORITY_ENDS = "/?"
_NEVER = frozenset("@\\#")


class MalformedError(ExecPolicyError):
    """What came is not a request that can be understood in one way only."""


class Head(Value):
    """A request: where it goes, and what is sent there. `path` is None for a tunnel."""

    method: str
    host: Host
    port: int
    path: bytes | None
    headers: Headers


class BodyChunk(Value):
    """A piece of the body of a message, and whether it ends there."""

    data: bytes = b""
    ends: bool = False


class Reply(Value):
    """The head of a response. An interim one (100 to 199) is followed by another head."""

    status: int
    headers: Headers
    reason: bytes

    @property
    def interim(self) -> bool:
        """Whether this is not the answer yet."""
        return self.status < 200


class Server:
    """The side of a connection that talks to a client."""

    def __init__(self) -> None:
        self._h11 = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
        self._closed = False

    def feed(self, data: bytes) -> None:
        """Take what the client sent; nothing where it sent all it will."""
        if not self._closed:
            self._closed = not data
            self._h11.receive_data(data)

    def head(self) -> Head | None:
        """The next request, or None where more has to come. Raises `MalformedError`."""
        event = self._next()
        if event is None or isinstance(event, h11.ConnectionClosed):
            return None
        if not isinstance(event, h11.Request):
            raise MalformedError("there is no request")
        return _head(event)

    def part(self) -> BodyChunk | None:
        """The next piece of a request's body, or None where more has to come."""
        return _part(self._next())

    @property
    def ended(self) -> bool:
        """Whether the client has gone without another request."""
        return self._h11.their_state is h11.CLOSED

    @property
    def idle(self) -> bool:
        """Whether nothing of another request came yet."""
        return not self._closed and not self._h11.trailing_data[0]

    def rest(self) -> bytes:
        """What came after the head of a tunnel."""
        return bytes(self._h11.trailing_data[0])

    def reply(self, reply: Reply) -> bytes:
        """The bytes of a response's head. Raises `MalformedError`."""
        kind = h11.InformationalResponse if reply.interim else h11.Response
        event = kind(status_code=reply.status, headers=list(reply.headers), reason=reply.reason)
        return _sent(self._h11, event)

    def body(self, part: BodyChunk) -> bytes:
        """The bytes of a piece of a response's body."""
        return _parts_sent(self._h11, part)

    def again(self) -> bool:
        """Make ready for another request; whether the connection may be used for one."""
        if self._h11.our_state is not h11.DONE or self._h11.their_state is not h11.DONE:
            return False
        self._h11.start_next_cycle()
        return True

    def _next(self) -> h11.Event | None:
        return _received(self._h11)


class Client:
    """The side of a connection that talks to a server, for one request."""

    def __init__(self) -> None:
        self._h11 = h11.Connection(h11.CLIENT, max_incomplete_event_size=4 * MAX_HEAD)

    def request(self, head: Head) -> bytes:
        """The bytes of a request's head."""
        host = f"[{head.host}]" if ":" in head.host.text else head.host.text
        authority = host if head.port == 80 else f"{host}:{head.port}"
        headers = [(b"host", authority.encode()), *head.headers, (b"connection", b"close")]
        event = h11.Request(method=head.method, target=head.path or b"/", headers=headers)
        return _sent(self._h11, event)

    def body(self, part: BodyChunk) -> bytes:
        """The bytes of a piece of the request's body."""
        return _parts_sent(self._h11, part)

    def feed(self, data: bytes) -> None:
        """Take what the server sent; nothing where it sent all it will."""
        self._h11.receive_data(data)

    def reply(self) -> Reply | None:
        """The next head of a response, or None where more has to come."""
        event = _received(self._h11)
        if event is None:
            return None
        if not isinstance(event, h11.InformationalResponse | h11.Response):
            raise MalformedError("the server sent no response")
        if event.status_code == 101:
            raise MalformedError("the server wants to switch to another protocol")
        headers = _end_to_end(event.headers)
        return Reply(event.status_code, headers, bytes(event.reason))

    def part(self) -> BodyChunk | None:
        """The next piece of the response's body, or None where more has to come."""
        return _part(_received(self._h11))


def _received(connection: h11.Connection) -> h11.Event | None:
    try:
        event = connection.next_event()
    except h11.RemoteProtocolError as error:
        raise MalformedError(str(error)) from None
    if event is h11.NEED_DATA or event is h11.PAUSED:
        return None
    return event  # type: ignore[return-value]


def _part(event: h11.Event | None) -> BodyChunk | None:
    if event is None:
        return None
    if isinstance(event, h11.Data):
        return BodyChunk(bytes(event.data))
    if isinstance(event, h11.EndOfMessage):
        return BodyChunk(ends=True)
    raise MalformedError("the message broke off")


def _sent(connection: h11.Connection, event: h11.Event) -> bytes:
    try:
        return connection.send(event) or b""
    except h11.LocalProtocolError as error:
        raise MalformedError(str(error)) from None


def _parts_sent(connection: h11.Connection, part: BodyChunk) -> bytes:
    data = _sent(connection, h11.Data(data=part.data)) if part.data else b""
    return data + (_sent(connection, h11.EndOfMessage()) if part.ends else b"")


def _head(event: h11.Request) -> Head:
    method, target = event.method.decode("ascii"), event.target.decode("ascii")
    size = len(method) + len(target) + sum(len(n) + len(v) + 4 for n, v in event.headers)
    if size > MAX_HEAD:  # h11 counts only what is not whole yet
        raise MalformedError(f"the head of the request has more than {MAX_HEAD} bytes")
    names = [name for name, _ in event.headers]
    if b"content-length" in names and b"transfer-encoding" in names:
        raise MalformedError("a request has either `Content-Length` or `Transfer-Encoding`")
    try:
        if method == "CONNECT":
            if b"content-length" in names or b"transfer-encoding" in names:
                raise MalformedError("a request for a tunnel has no body")
            host, port = _authority(target)
            return Head(method, host, port, None, ())
        host, port, path = _split(target)
    except HostError as error:
        raise MalformedError(f"`{target[:80]}`: {error}") from None
    if method == "OPTIONS" and not path:
        path = "*"
    return Head(method, host, port, (path or "/").encode(), _end_to_end(event.headers))


_authority = lru_cache(256)(parse_authority)
"""A client mostly goes where another one went."""


def _split(target: str) -> tuple[Host, int, str]:
    """Host, port and path of `http://host[:port]/path`. Raises `HostError`."""
    scheme, mark, rest = target.partition("://")
    if not mark or scheme.lower() != "http":
        raise HostError("a proxy is asked for `http://host/path` or for a tunnel")
    end = min((at for at in map(rest.find, _AUTHORITY_ENDS) if at >= 0), default=len(rest))
    authority, path = rest[:end], rest[end:]
    if not _NEVER.isdisjoint(authority) or "#" in path:
        raise HostError("it has a user name, a fragment or a backslash")
    bare = authority.endswith("]") or ":" not in authority
    host, port = (parse_host(authority), 80) if bare else parse_authority(authority)
    if ":" in host.text and not authority.startswith("["):
        raise HostError("an IPv6 address needs brackets")
    return host, port, f"/{path}" if path.startswith("?") else path


def _end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """The headers without those for the next neighbour, and without `Host`."""
    every = [(bytes(name), bytes(value)) for name, value in headers]
    named = {
        token.strip().lower()
        for name, value in every
        if name == b"connection"
        for token in value.split(b",")
    }
    kept = {b"content-length", b"transfer-encoding"}  # what frames a message is never dropped
    dropped = (_HOP | {b"host"} | named) - kept
    return tuple((name, value) for name, value in every if name not in dropped)
