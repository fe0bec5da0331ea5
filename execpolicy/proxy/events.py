"""What is written down about each decision: who asked for which host, and what came of it.

Neither paths nor queries nor headers are in it. Events are written some at a time, so that a file
is opened once for many.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from execpolicy.policy.network_hosts import Attempt, Ruling
from execpolicy.support.record import Value

Write = Callable[[Sequence[tuple[float, "Event"]]], None]

SECONDS = 0.25
"""How long an event may wait for others. The owner of the log flushes it at the end."""
MAX_EVENTS = 64


class Event(Value):
    """One decision. `sent` and `received` count bytes, `seconds` the time of the connection.

    `attempt` is None where it could not be told what was asked for.
    """

    attempt: Attempt | None
    ruling: Ruling
    sent: int = 0
    received: int = 0
    seconds: float = 0.0


def entry(event: Event) -> dict[str, object]:
    """The event as a JSON object, without the time."""
    ruling, attempt = event.ruling, event.attempt
    line: dict[str, object] = {"decision": ruling.decision.word, "reason": ruling.reason}
    if attempt is not None:
        line |= {"protocol": attempt.protocol, "host": attempt.host.text, "port": attempt.port}
        if attempt.method is not None:
            line["method"] = attempt.method
    if ruling.rule is not None:
        line["rule"] = str(ruling.rule.origin)
    if not ruling.decision:
        line |= {"sent": event.sent, "received": event.received}
        line["milliseconds"] = int(event.seconds * 1000)
    return line


def dated(
    events: Iterable[tuple[float, Event]], session: str
) -> Iterator[tuple[float, dict[str, object]]]:
    """The objects of events, with the time of each, and the session that all belong to, if any."""
    shared = {"session": session} if session else {}
    for at, event in events:
        yield at, {**shared, **entry(event)}


class EventLog:
    """Takes events in a running loop; `write` gets them with the time of each, in order."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._events: list[tuple[float, Event]] = []

    def __call__(self, event: Event) -> None:
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
