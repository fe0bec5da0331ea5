"""Server-sent events: the questions that wait, again whenever they change."""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator

from execpolicy.serve.service import Service
from execpolicy.support import directories

POLL_SECONDS = 0.25
"""How often the ledger is looked at, by its status alone."""
ALIVE_SECONDS = 15.0
"""How often something is sent, so that a connection that is gone is noticed."""


class Events:
    """The questions for those who watch. They are read once, however many watch."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._state: object = None
        self._data = b""
        self._reading = asyncio.Lock()

    async def each(self) -> AsyncIterator[bytes]:
        """One event now, and one whenever the questions are others."""
        sent, idle = b"", 0.0
        while not self._service.ends.is_set():
            data = await self._current()
            if data != sent:
                yield b"event: questions\ndata: " + data + b"\n\n"
                sent, idle = data, 0.0
            elif idle >= ALIVE_SECONDS:
                yield b": alive\n\n"
                idle = 0.0
            idle += POLL_SECONDS
            await asyncio.sleep(POLL_SECONDS)
        yield b"event: end\ndata: {}\n\n"

    async def _current(self) -> bytes:
        async with self._reading:
            state = _state()
            if state != self._state:
                found = await asyncio.to_thread(self._service.commands.questions)
                self._data, self._state = json.dumps(found).encode(), state
            return self._data


def _state() -> object:
    """What changes when the ledger does. Questions end with time, too: it is read each minute."""

    def one(path: str) -> object:
        try:
            status = os.stat(path)
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    path = directories.ledger()
    return one(path), one(f"{path}-wal"), int(time.monotonic() // 60)
