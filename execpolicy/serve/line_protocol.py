"""The unix socket for hooks: one line of JSON in, one answer out (`serve.client` has its form)."""

import asyncio
import json

from execpolicy.model.errors import ExecPolicyError
from execpolicy.serve import sockets
from execpolicy.serve.service import Service

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

MAX_LINE = 6 * 1024 * 1024
"""Bytes of a line: the largest payload of a hook, with each of its quotes escaped."""
LINE_SECONDS = 2.0
"""How long a line may take to come."""
HOOK_SECONDS = 1.5
"""How long a hook waits: it has to be in time when it decides itself."""
MAX_CONNECTIONS = 128


class LineServer:
    """Answers hooks. Whatever is wrong with a line, the client decides itself."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._open = 0
        self._server: asyncio.Server | None = None

    async def start(self, listener: "socket.socket") -> None:
        """Begin to answer."""
        self._server = await asyncio.start_unix_server(
            self._connected, sock=listener, limit=MAX_LINE
        )

    async def stop(self) -> None:
        """Take no more connections."""
        if self._server is not None:
            self._server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            if self._open > MAX_CONNECTIONS:
                return
            sockets.peer(writer.get_extra_info("socket"))
            async with asyncio.timeout(LINE_SECONDS):
                line = await reader.readline()
            writer.write(await self._answer(line))
            async with asyncio.timeout(LINE_SECONDS):
                await writer.drain()
        except (OSError, ValueError, TimeoutError):
            return
        finally:
            self._open -= 1
            writer.close()

    async def _answer(self, line: bytes) -> bytes:
        try:
            given = json.loads(line) if line.endswith(b"\n") else None
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            return _declined("the line is not a JSON object")
        host, payload, client = (given.get(name) for name in ("hook", "payload", "client"))
        if not (isinstance(host, str) and isinstance(payload, str) and isinstance(client, dict)):
            return _declined("give `hook`, `payload` and `client`")
        try:
            work = self._service.commands.hook(host, payload.encode())
        except (ExecPolicyError, UnicodeError):
            return _declined("the host or its payload is not valid")
        result = await self._service.decide(client, work, HOOK_SECONDS)
        return _declined(result.declined) if result.declined else result.answer


def _declined(why: str) -> bytes:
    return f"declined {why}".replace("\n", " ").encode("utf-8", "replace") + b"\n"
