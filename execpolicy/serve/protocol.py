"""HTTP of uvicorn with the limits that it has not: on how long a request may take to come, on how
many connections there are, and on who is at the other end of a unix socket."""

import asyncio
import socket

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from execpolicy.serve import sockets

MAX_CONNECTIONS = 256
MAX_HEAD = 65536
"""Bytes of a head: those of the connection's last piece may be beyond it."""
HEAD_SECONDS = 5.0
"""How long the head of a request may take."""
UNIX = "unix"
"""Stands in the place of an address for a peer on the unix socket; the port is its process."""


class _Joining:
    """A transport that sends the head of an answer together with the beginning of its body: a
    client wakes up once."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._head = b""

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send it; a head, when there is more, or the loop has nothing else to do now."""
        if not self._head and data.startswith(b"HTTP/"):
            self._head, self._soon = data, self._loop.call_soon(self._send)
        else:
            self._send(data)

    def close(self) -> None:
        """Send what is left, and end."""
        self._send()
        self._transport.close()

    def _send(self, data: bytes = b"") -> None:
        head, self._head = self._head, b""
        if head:
            self._soon.cancel()
        if head or data:
            self._transport.write(head + data)


class BoundedProtocol(HttpToolsProtocol):
    """A connection that is closed when nothing comes, and refused where there are too many."""

    _head: int | None = None
    """The bytes of a head that is not whole."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many or another user is at the other end."""
        super().connection_made(transport)
        self.transport = _Joining(transport, self.loop)  # type: ignore[assignment]
        self._late = self.loop.call_later(HEAD_SECONDS, self._close_idle)
        try:
            opened = transport.get_extra_info("socket")
            if opened.family == socket.AF_UNIX:
                self.client = (UNIX, sockets.peer(opened))
        except OSError:
            transport.abort()
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._late.cancel()
        super().connection_lost(exc)

    def _close_idle(self) -> None:
        if self.cycle is None:
            self.transport.abort()

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._head = 0

    def on_headers_complete(self) -> None:
        """A head is whole."""
        super().on_headers_complete()
        self._head = None

    def data_received(self, data: bytes) -> None:
        """Take what came. From the first byte on, a head has its time to be whole, and not too
        many bytes."""
        before = self.cycle
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > MAX_HEAD:
                self.transport.abort()
        if self.cycle is before and self.cycle is not None and self.cycle.response_complete:
            self._late.cancel()  # the head of the next request began to come
            self._late = self.loop.call_later(HEAD_SECONDS, self._close_unless_next, before)

    def _close_unless_next(self, before: object) -> None:
        if self.cycle is before:
            self.transport.abort()
