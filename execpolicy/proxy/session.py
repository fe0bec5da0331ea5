"""One connection of a client, from its first byte to its last."""

import asyncio
from collections.abc import Callable

from execpolicy.model.decision import Decision
from execpolicy.policy.network_hosts import HTTP, SOCKS, TUNNEL, Attempt, Ruling
from execpolicy.proxy import answers, socks
from execpolicy.proxy.dial import Dialler, RefusedError, UnreachableError
from execpolicy.proxy.endpoint import Endpoint
from execpolicy.proxy.events import Event
from execpolicy.proxy.exchange import Exchange
from execpolicy.proxy.http1 import Head, MalformedError, Server
from execpolicy.proxy.limits import Limits

Log = Callable[[Event], None]


class Session:
    """What a client asks for on one connection.

    `began`: it asked for something. `waits`: for the user, a name server or a host. `joined`: its
    bytes go straight on, and its end takes the other end's with it.
    """

    def __init__(self, client: Endpoint, dialler: Dialler, limits: Limits, log: Log) -> None:
        self.client = client
        self.began = self.waits = self.joined = False
        self._dialler, self._limits, self._log = dialler, limits, log
        self._upstream: Endpoint | None = None

    @property
    def touched(self) -> float:
        """When the last byte came, from either end."""
        upstream = self._upstream
        return max(self.client.touched, upstream.touched if upstream else 0.0)

    async def run(self) -> None:
        """Serve the connection to its end."""
        try:
            first = await self._first()
            self.client.unread(first)
            if first[:1] == bytes((socks.VERSION,)):
                await self._socks()
            elif first:
                await self._http()
        except MalformedError as error:
            self._log(Event(None, _malformed(str(error))))
            self.client.write(answers.malformed(str(error)))
            await self.client.finish(self._limits.linger)
        except (OSError, TimeoutError):
            self.client.abort()
        finally:
            self._hang_up()
            self.client.close()

    async def _first(self) -> bytes:
        """What the client says first. Mostly it is there already, and needs no clock."""
        if self.client.ready():
            return await self.client.read()
        async with asyncio.timeout(self._limits.head):
            return await self.client.read()

    def abort(self) -> None:
        """End now, whatever is going on."""
        self._hang_up()
        self.client.abort()

    def _hang_up(self) -> None:
        if self._upstream is not None:
            self._upstream.abort()
            self._upstream = None

    async def _http(self) -> None:
        server = Server()
        while head := await self._head(server):
            self.began = True
            if head.path is None:
                self.client.unread(server.rest())
                await self._tunnel(Attempt(head.host, TUNNEL, head.port), answers.ESTABLISHED)
                return
            if not (await self._exchange(server, head) and server.again()):
                await self.client.finish(self._limits.linger)
                return

    async def _head(self, server: Server) -> Head | None:
        """The next request, None where no more come. It has to be whole in time."""
        if self.began and server.idle:
            async with asyncio.timeout(self._limits.idle):
                server.feed(await self.client.read())
        elif self.client.ready():
            server.feed(await self.client.read())
            if (head := server.head()) or server.ended:
                return head
        async with asyncio.timeout(self._limits.head):
            while not (head := server.head()) and not server.ended:
                server.feed(await self.client.read())
        return head

    async def _exchange(self, server: Server, head: Head) -> bool:
        """Carry one request and its response; whether both came to their end."""
        attempt = Attempt(head.host, HTTP, head.port, head.method)
        began = self.client.loop.time()
        ruling = await self._connected(attempt)
        if ruling is None or self._upstream is None:
            return False
        exchange = Exchange(self.client, self._upstream, server, head)
        try:
            return await exchange.run()
        except MalformedError as error:
            if not exchange.answered:
                self.client.write(answers.unreachable(attempt, "response", str(error)))
            return False
        finally:
            self._record(attempt, ruling, began, exchange.sent)

    async def _socks(self) -> None:
        async with asyncio.timeout(self._limits.head):
            wanted = await self._socks_request()
        self.began = True
        if wanted is not None:
            await self._tunnel(Attempt(wanted.host, SOCKS, wanted.port), socks.reply(socks.GRANTED))

    async def _socks_request(self) -> socks.Wanted | None:
        data = await self._more()
        while (greeted := socks.greeting(data)) is None:
            data += await self._more()
        size, free = greeted
        self.client.write(socks.NO_LOGIN if free else socks.NO_METHOD)
        if not free:
            return None
        data = data[size:]
        try:
            while (wanted := socks.request(data)) is None:
                data += await self._more()
        except socks.UnsupportedError as error:
            self.client.write(socks.reply(error.code))
            self._log(Event(None, _malformed(str(error))))
            return None
        self.client.unread(data[wanted.size :])
        return wanted

    async def _more(self) -> bytes:
        data = await self.client.read()
        if not data:
            raise MalformedError("the client went in the middle of a request")
        return data

    async def _tunnel(self, attempt: Attempt, granted: bytes) -> None:
        """Join the client to the host."""
        began, before = self.client.loop.time(), self.client.taken
        ruling = await self._connected(attempt)
        if ruling is None or self._upstream is None:
            await self.client.finish(self._limits.linger)
            return
        self.client.write(granted)
        self.joined = True
        try:
            await self.client.join(self._upstream)
        finally:
            self._record(attempt, ruling, began, self.client.received - before)

    async def _connected(self, attempt: Attempt) -> Ruling | None:
        """The ruling that allowed a connection that now is there; None after a refusal."""
        self._hang_up()
        self.waits = True
        try:
            ruling = await self._dialler.allowed(attempt)
            self._upstream = await self._dialler.connect(attempt)
        except RefusedError as error:
            answer = answers.refused(attempt, error.ruling)
            ruling, code = error.ruling, socks.NOT_ALLOWED
        except UnreachableError as error:
            answer = answers.unreachable(attempt, error.reason, str(error))
            ruling, code = ruling.replace(reason=error.reason), socks.UNREACHABLE
        except asyncio.CancelledError:
            self._log(Event(attempt, Ruling(Decision.FORBIDDEN, "gone", "the client went")))
            raise
        else:
            return ruling
        finally:
            self.waits = False
            self.client.touched = self.client.loop.time()
        self._log(Event(attempt, ruling))
        self.client.write(socks.reply(code) if attempt.protocol == SOCKS else answer)
        return None

    def _record(self, attempt: Attempt, ruling: Ruling, began: float, sent: int) -> None:
        """Log a connection that is over."""
        upstream = self._upstream
        down = upstream.received if upstream else 0
        seconds = self.client.loop.time() - began
        self._log(Event(attempt, ruling, sent, down, seconds))
        self._hang_up()


def _malformed(why: str) -> Ruling:
    return Ruling(Decision.FORBIDDEN, "malformed", why)
