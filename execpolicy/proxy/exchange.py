"""One plain request of HTTP and its response, carried between two parsers."""

import asyncio

from execpolicy.proxy.endpoint import Endpoint
from execpolicy.proxy.http1 import Client, Head, MalformedError, Server


class Exchange:
    """A request to an upstream server. `answered`: the client has the head of a response.

    `sent` are the bytes of the request's body.
    """

    def __init__(self, client: Endpoint, upstream: Endpoint, server: Server, head: Head) -> None:
        self.answered, self.sent = False, 0
        self._client, self._upstream = client, upstream
        self._server, self._toward, self._head = server, Client(), head

    async def run(self) -> bool:
        """Carry both; whether the request came to its end before the response did.

        Raises `MalformedError` where either side breaks off or cannot be understood.
        """
        self._upstream.write(self._toward.request(self._head))
        up = asyncio.create_task(self._upload())
        down = asyncio.create_task(self._download())
        try:
            await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
            if up.done() and not down.done():
                up.result()
            await down
            return up.done() and up.exception() is None
        finally:
            for task in (up, down):
                task.cancel()
            await asyncio.gather(up, down, return_exceptions=True)

    async def _upload(self) -> None:
        while True:
            part = self._server.part()
            if part is None:
                self._server.feed(await self._client.read())
                continue
            self.sent += len(part.data)
            self._upstream.write(self._toward.body(part))
            await self._upstream.drained()
            if part.ends:
                return

    async def _download(self) -> None:
        while True:
            reply = self._toward.reply()
            if reply is None:
                await self._from_upstream()
                continue
            self._client.write(self._server.reply(reply))
            if not reply.interim:
                break
        self.answered = True
        while True:
            part = self._toward.part()
            if part is None:
                await self._from_upstream()
                continue
            self._client.write(self._server.body(part))
            await self._client.drained()
            if part.ends:
                return

    async def _from_upstream(self) -> None:
        data = await self._upstream.read()
        if not data and self._upstream.gone and not self._upstream.clean:
            raise MalformedError("the server broke the connection off")
        self._toward.feed(data)
