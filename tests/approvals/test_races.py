"""Eight processes at one ledger, some of them killed: nothing twice, lost or unasked."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from execpolicy.store.ledger import ledger as book
from execpolicy.store.ledger.ledger import Ledger
from tests.approvals.races import POINTS, USES

ROOT = Path(__file__).parents[2]
PROCESSES = 8


def start(number: int, rounds: int, note: Path, *point: str) -> "subprocess.Popen[bytes]":
    note.touch()
    command = [sys.executable, "-m", "tests.approvals.races", str(number), str(rounds), str(note)]
    return subprocess.Popen([*command, *point], cwd=ROOT, stderr=subprocess.PIPE)


def told(running: "list[subprocess.Popen[bytes]]", notes: list[Path]) -> "Counter[tuple[str, str]]":
    """What the processes were told until they ended, how often each."""
    for process in running:
        _, error = process.communicate()
        assert process.returncode == 0, error.decode()
    lines = [line for note in notes for line in note.read_text().splitlines()]
    return Counter((line.split()[0], line.split()[1]) for line in lines)


def hold(told: "Counter[tuple[str, str]]", rounds: int, kills: int) -> None:
    """Nothing is there twice, nothing is missing, and what is not told was done by the killed."""
    with Ledger.open() as ledger:
        assert ledger.broken() is None
        events = Counter((event.kind, event.subject) for event in ledger.events())
        assert ledger.waiting() == []
    names = [f"q{n:05d}" for n in range(rounds)]
    for name in names:
        assert events[book.ASKED, name] == 1
        assert events[book.ANSWERED, name] == 1
        assert events[book.APPROVED, f"a-{name}"] == 1
        assert events[book.USED, f"a-{name}"] == USES
        assert told["used", name] <= USES
    assert max(told.values()) <= USES
    for kind in (book.ASKED, book.ANSWERED):
        assert all(told[kind, name] <= 1 for name in names)
    lost = 5 * rounds - sum(told.values())  # done, but its process was killed before it could say
    assert 0 <= lost <= kills
    assert len(events) == 4 * rounds


def test_killed_at_each_point_in_turn_others_go_on(tmp_path: Path) -> None:
    """Each is alone until it dies; all the work is then done by eight at once."""
    rounds, notes = 25, [tmp_path / f"note{n}" for n in range(PROCESSES)]
    for number, point in enumerate(POINTS):
        doomed = start(number, rounds, notes[number], point)
        assert (doomed.communicate()[1], doomed.returncode) == (b"", -signal.SIGKILL), point
        with Ledger.open() as ledger:
            assert ledger.broken() is None
    running = [start(n, rounds, note) for n, note in enumerate(notes)]
    hold(told(running, notes), rounds, len(POINTS))


@pytest.mark.slow
def test_ten_thousand_asks_and_replies_with_60_killed_at_random(tmp_path: Path) -> None:
    rounds, kills = 5000, 60
    chance = random.Random(rounds)  # noqa: S311
    notes = [tmp_path / f"note{n}" for n in range(PROCESSES)]
    running = [start(n, rounds, note) for n, note in enumerate(notes)]
    for _ in range(kills):
        time.sleep(chance.uniform(0.05, 0.4))
        victim = chance.randrange(PROCESSES)
        running[victim].kill()
        running[victim].communicate()
        running[victim] = start(victim, rounds, notes[victim])
    hold(told(running, notes), rounds, kills)
