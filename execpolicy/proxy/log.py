"""Writes events of connections down, some of them at a time: a file is opened once for many."""

import asyncio
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.proxy.events import Event

    Write = Callable[[Sequence[tuple[float, Event]]], None]

SECONDS = 0.25
"""How long an event may wait for others. Whoever owns the log flushes it at the end."""
MAX_EVENTS = 64


class EventLog:
    """Takes events in a running loop; `write` gets them with the time of each, in order."""

    __slots__ = ("_events", "_write")

    def __init__(self, write: "Write") -> None:
        self._write = write
        self._events: list[tuple[float, Event]] = []

    def __call__(self, event: "Event") -> None:
        """Take an event, to be written within a moment."""
        if not self._events:
            asyncio.get_running_loop().call_later(SECONDS, self.flush)
        self._events.append((time.time(), event))
        if len(self._events) >= MAX_EVENTS:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        waiting, self._events = self._events, []
        if waiting:
            self._write(waiting)
