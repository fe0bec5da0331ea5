"""What is written down about each decision: who asked for which host, and what came of it.

Neither paths nor queries nor headers are in it.
"""

from execpolicy.policy.network_hosts import Attempt, Ruling
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


class Event(Value):
    """One decision. `sent` and `received` count bytes, `seconds` the time of the connection.

    `attempt` is None where it could not be told what was asked for.
    """

    attempt: Attempt | None
    ruling: Ruling
    sent: int = 0
    received: int = 0
    seconds: float = 0.0


def entry(event: Event) -> "dict[str, Any]":
    """The event as a JSON object, without the time."""
    ruling, attempt = event.ruling, event.attempt
    line: dict[str, Any] = {"decision": ruling.decision.word, "reason": ruling.reason}
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
    events: "Iterable[tuple[float, Event]]", session: str
) -> "Iterator[tuple[float, dict[str, Any]]]":
    """The objects of events, with the time of each, and the session that all belong to, if any."""
    shared = {"session": session} if session else {}
    for at, event in events:
        yield at, {**shared, **entry(event)}
