"""What is written down about each decision: who asked for which host, and what came of it.

Neither paths nor queries nor headers are in it.
"""

from execpolicy.policy.network_hosts import Attempt, Ruling
from execpolicy.support.record import Value


class Event(Value):
    """One decision. `sent` and `received` count bytes, `seconds` the time of the connection.

    `attempt` is None where it could not be told what was asked for.
    """

    attempt: Attempt | None
    ruling: Ruling
    sent: int = 0
    received: int = 0
    seconds: float = 0.0


def entry(event: Event) -> "dict[str, object]":
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
