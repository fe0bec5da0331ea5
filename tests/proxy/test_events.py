"""What is written down about connections: all of it, in order, and not a file opened for each."""

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from execpolicy.engine.audit import record_connections
from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.policy.network_hosts import TUNNEL, Attempt, Ruling, Rulings, decide
from execpolicy.policy.policy import Policy
from execpolicy.proxy.events import MAX_EVENTS, Event, EventLog, dated
from execpolicy.support.hostname import Host

Batch = list[tuple[float, Event]]


def event(number: int) -> Event:
    return Event(Attempt(Host("a.test"), TUNNEL, number), Ruling(Decision.ALLOW, "rule", ""))


def written(count: int, *, wait: bool) -> list[Batch]:
    """The batches in which so many events are written."""
    batches: list[Batch] = []

    def write(events: Sequence[tuple[float, Event]]) -> None:
        batches.append(list(events))

    async def main() -> None:
        log = EventLog(write)
        for number in range(count):
            log(event(number))
        while wait and not batches:
            await asyncio.sleep(0.01)
        log.flush()

    asyncio.run(main())
    return batches


@pytest.mark.parametrize(
    ("count", "sizes"),
    [(0, []), (1, [1]), (MAX_EVENTS, [MAX_EVENTS]), (MAX_EVENTS + 3, [MAX_EVENTS, 3])],
)
def test_a_flush_leaves_nothing(count: int, sizes: list[int]) -> None:
    batches = written(count, wait=False)
    assert [len(batch) for batch in batches] == sizes
    ports = [e.attempt.port for batch in batches for _, e in batch if e.attempt]
    assert ports == [*range(count)]


def test_what_waits_is_written_in_a_moment() -> None:
    assert [len(batch) for batch in written(3, wait=True)] == [3]


def test_lines_have_the_time_of_their_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    record_connections(dated([(0.5, event(1)), (0.75, event(2)), (61.0, event(3))], "s"))
    text = (tmp_path / "execpolicy/network.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["time"], line["port"], line["session"], line["pid"]) for line in lines] == [
        ("1970-01-01T00:00:00.500Z", 1, "s", os.getpid()),
        ("1970-01-01T00:00:00.750Z", 2, "s", os.getpid()),
        ("1970-01-01T00:01:01.000Z", 3, "s", os.getpid()),
    ]


ATTEMPTS = [
    Attempt(Host("a.test"), TUNNEL, 443),
    Attempt(Host("a.test"), TUNNEL, 22),
    Attempt(Host("a.test"), "http", 80, "GET"),
    Attempt(Host("a.test"), "http", 80, "POST"),
    Attempt(Host("a.test"), TUNNEL, 443, None, Host("10.0.0.1", True)),
    Attempt(Host("b.test"), TUNNEL, 443),
]
OPEN = """
network_rule("a.test", "https", "allow")
network_rule("a.test", "http", "allow", methods = ["GET"])
"""
SHUT = 'network_rule("a.test", "https", "forbidden")'


def test_a_ruling_that_is_kept_is_that_of_the_rules_of_now() -> None:
    rulings = Rulings()
    for text in (OPEN, SHUT, OPEN):
        policy = Policy(compile_text(text).rules)
        for attempt in (*ATTEMPTS, *reversed(ATTEMPTS)):
            assert rulings.of(policy, attempt) == decide(policy, attempt), (text, attempt)
