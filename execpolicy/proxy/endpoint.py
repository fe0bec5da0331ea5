"""One end of a connection: read by a coroutine first, then joined to another end.

Joined ends hand every byte on as it comes. Where one cannot take more, the other is not read; where
one has sent all it will, the other is told so and may still answer. It works on the socket itself:
the transports of asyncio take three turns of the loop more to begin.
"""

import asyncio
import socket
from collections.abc import Callable

MAX_WAITING = 64 * 1024
"""Bytes that wait for a reader, or for the network, before no more are read."""
FEW_WAITING = MAX_WAITING // 4
"""Bytes that wait for the network when more are read again."""
CHUNK = 128 * 1024


class Endpoint:
    """One end, of a socket that is connected. `lost` is called once when the connection is gone."""

    def __init__(
        self, sock: socket.socket, lost: "Callable[[Endpoint], None] | None" = None
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.received = 0
        self.touched = self.loop.time()
        self.eof = self.gone = False
        self.clean = True
        self.done: asyncio.Future[None] = self.loop.create_future()
        self._sock, self._number, self._lost = sock, sock.fileno(), lost
        self._waiting, self._out = bytearray(), bytearray()
        self._peer: Endpoint | None = None
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._shut = self._full = self._closing = self._losing = False
        self._paused = True
        sock.setblocking(False)
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._resume()

    @property
    def taken(self) -> int:
        """How many of the bytes that came do not wait any more."""
        return self.received - len(self._waiting)

    def ready(self) -> bool:
        """Whether `read` gives something at once."""
        if not self._waiting and not self.eof and not self._paused:
            self._readable()
        return bool(self._waiting) or self.eof

    async def read(self) -> bytes:
        """What came since the last call; nothing where no more will come."""
        while not self._waiting and not self.eof:
            self._reader = self.loop.create_future()
            await self._reader
        data = bytes(self._waiting)
        self._waiting.clear()
        self._resume()
        return data

    def unread(self, data: bytes) -> None:
        """Put bytes back in front of what waits."""
        self._waiting[:0] = data

    def write(self, data: bytes) -> None:
        """Send bytes, or drop them where the other end is gone."""
        if self._shut or self._closing or not data:
            return
        sent = 0
        if not self._out:
            sent = self._send(data)
            if self._closing or sent == len(data):
                return
            self.loop.add_writer(self._number, self._writable)
        self._out += data[sent:]
        if len(self._out) > MAX_WAITING and not self._full:
            self._full = True
            if self._peer is not None:
                self._peer._pause()

    async def drained(self) -> None:
        """Wait until the network takes more."""
        while self._full and not self.gone:
            self._writer = self.loop.create_future()
            await self._writer

    async def join(self, other: "Endpoint") -> None:
        """Hand all bytes on in both directions until both ends are gone."""
        for one, peer in ((self, other), (other, self)):
            one._peer = peer
            if one._waiting:
                peer.write(bytes(one._waiting))
                one._waiting.clear()
            one._pause() if peer._full else one._resume()
        for one, peer in ((self, other), (other, self)):
            if one.gone:
                peer.close()
            elif one.eof:
                one._pass_end_on()
        await self.done
        await other.done

    async def finish(self, seconds: float) -> None:
        """Send the rest, then close. What still comes is read a while, lest a reset eats it."""
        self._end_writing()
        try:
            async with asyncio.timeout(seconds):
                while await self.read():
                    pass
        except TimeoutError:
            pass
        self.close()

    def close(self) -> None:
        """Close after what was written has been sent."""
        if self._closing:
            return
        self._pause()
        self._closing = True
        if not self._out:
            self._lose(None)

    def abort(self) -> None:
        """Close now."""
        self._lose(None)

    # What the loop calls.

    def _readable(self) -> None:
        try:
            data = self._sock.recv(CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(error)
            return
        self.touched = self.loop.time()
        if data:
            self._came(data)
            return
        self._pause()
        self.eof = True
        _wake(self._reader)
        self._pass_end_on()

    def _came(self, data: bytes) -> None:
        """Bytes came: they go on, or wait."""
        self.received += len(data)
        if self._peer is not None:
            self._peer.write(data)
            return
        self._waiting += data
        if len(self._waiting) >= MAX_WAITING:
            self._pause()
        _wake(self._reader)

    def _writable(self) -> None:
        """The network takes more: send what waits for it."""
        del self._out[: self._send(self._out)]
        if self._losing:
            return
        if not self._out:
            self.loop.remove_writer(self._number)
            if self._closing:
                self._lose(None)
            elif self._shut:
                self._send_end()
        if self._full and len(self._out) <= FEW_WAITING:
            self._full = False
            _wake(self._writer)
            if self._peer is not None:
                self._peer._resume()

    # How it ends.

    def _lose(self, error: OSError | None) -> None:
        """Let the connection go; what follows from that happens in the next turn of the loop."""
        if self._losing:
            return
        self._pause()
        self._closing = self._losing = True
        if self._out:
            self._out.clear()
            self.loop.remove_writer(self._number)
        self.loop.call_soon(self._is_lost, error)

    def _is_lost(self, error: OSError | None) -> None:
        """The connection is gone, and the other end with it."""
        self.gone = self.eof = True
        self.clean = error is None
        if self._peer is not None:
            self._peer.abort() if error else self._peer.close()
        for future in (self._reader, self._writer, self.done):
            _wake(future)
        self._sock.close()
        if self._lost:
            self._lost(self)

    def _pass_end_on(self) -> None:
        peer = self._peer
        if peer is None:
            return
        if peer.eof:
            self.close()
            peer.close()
        else:
            peer._end_writing()

    def _end_writing(self) -> None:
        if not self._shut and not self._closing:
            self._shut = True
            if not self._out:
                self._send_end()

    def _send_end(self) -> None:
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError as error:
            self._lose(error)

    def _send(self, data: bytes | bytearray) -> int:
        """How many bytes the network took."""
        try:
            return self._sock.send(data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            self._lose(error)
            return 0

    def _pause(self) -> None:
        if not self._paused:
            self._paused = True
            self.loop.remove_reader(self._number)

    def _resume(self) -> None:
        if self._paused and not self.eof and not self._closing:
            self._paused = False
            self.loop.add_reader(self._number, self._readable)


def _wake(future: asyncio.Future[None] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)
