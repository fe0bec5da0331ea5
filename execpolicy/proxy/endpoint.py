"""One end of a connection: read by a coroutine first, then joined to another end.

Joined ends hand every byte on as it comes. Where one cannot take more, the other is not read; where
one has sent all it will, the other is told so and may still answer.
"""

import asyncio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_WAITING = 64 * 1024
"""Bytes that wait for a reader, or for the network, before no more are read."""


class Endpoint(asyncio.Protocol):
    """One end. `made` is called when the connection is there, `lost` when it is gone."""

    def __init__(
        self,
        made: "Callable[[Endpoint], None] | None" = None,
        lost: "Callable[[Endpoint], None] | None" = None,
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.transport: Any = None
        self.received = 0
        self.touched = self.loop.time()
        self.eof = self.gone = False
        self.clean = True
        self.done: asyncio.Future[None] = self.loop.create_future()
        self._made, self._lost = made, lost
        self._waiting = bytearray()
        self._peer: Endpoint | None = None
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._shut = self._full = self._paused = False

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is there."""
        self.transport = transport
        self.transport.set_write_buffer_limits(MAX_WAITING)
        if self._made:
            self._made(self)

    def data_received(self, data: bytes) -> None:
        """Bytes came: they go on, or wait."""
        self.received += len(data)
        self.touched = self.loop.time()
        if self._peer is not None:
            self._peer.write(data)
            return
        self._waiting += data
        if len(self._waiting) >= MAX_WAITING:
            self._pause()
        _wake(self._reader)

    def eof_received(self) -> bool:
        """No more will come. The connection stays, to answer."""
        self.eof = True
        self.touched = self.loop.time()
        _wake(self._reader)
        self._pass_end_on()
        return True

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is gone, and the other end with it."""
        self.gone = self.eof = True
        self.clean = error is None
        if self._peer is not None:
            self._peer.abort() if error else self._peer.close()
        _wake(self._reader)
        _wake(self._writer)
        _wake(self.done)
        if self._lost:
            self._lost(self)

    def pause_writing(self) -> None:
        """The network takes no more now."""
        self._full = True
        if self._peer is not None:
            self._peer._pause()

    def resume_writing(self) -> None:
        """The network takes more again."""
        self._full = False
        _wake(self._writer)
        if self._peer is not None:
            self._peer._resume()

    # What the proxy calls.

    @property
    def taken(self) -> int:
        """How many of the bytes that came do not wait any more."""
        return self.received - len(self._waiting)

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
        if not self.gone and not self._shut:
            self.transport.write(data)

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
        await asyncio.gather(self.done, other.done)

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
        if self.transport is not None:
            self.transport.close()

    def abort(self) -> None:
        """Close now."""
        if self.transport is not None:
            self.transport.abort()

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
        if not self.gone and not self._shut and not self.transport.is_closing():
            self._shut = True
            self.transport.write_eof()

    def _pause(self) -> None:
        if not self._paused and not self.gone and not self.transport.is_closing():
            self._paused = True
            self.transport.pause_reading()

    def _resume(self) -> None:
        if self._paused and not self.gone and not self.transport.is_closing():
            self._paused = False
            self.transport.resume_reading()


def _wake(future: "asyncio.Future[None] | None") -> None:
    if future is not None and not future.done():
        future.set_result(None)
