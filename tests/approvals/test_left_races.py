"""Many sessions ask at once, terminals and a notify command answer, and some of all are killed."""

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from execpolicy.commands.replying import NOTIFIED, TERMINAL
from execpolicy.store.ledger import ledger as book
from execpolicy.store.ledger.codec import decode, unpack
from execpolicy.store.ledger.ledger import Ledger
from execpolicy.store.ledger.questions import decode as decode_question
from tests.approvals.support import repository
from tests.store.support import write
from tests.waiting import HANG_SECONDS, Process, until

ROOT = Path(__file__).parents[2]


def start(held: ExitStack, *words: str) -> Process:
    """A process of the race, which ends with the test whatever becomes of it."""
    command = [sys.executable, "-m", "tests.approvals.left_races", *words]
    return held.enter_context(Process(command, cwd=ROOT, stdout=subprocess.PIPE))


def race(tmp_path: Path, sessions: int, killed: int) -> None:
    """Every call passes once, by one answer each, whoever of the terminals or the notify command
    gave it; where the agent was killed its question is answered all the same."""
    project, done = repository(tmp_path / "p"), tmp_path / "done"
    with ExitStack() as held:
        asking = [start(held, "ask", str(project), str(number)) for number in range(sessions)]
        leaving = [start(held, "leave", str(project), f"x{number}") for number in range(killed)]
        terminals = [start(held, "answer", str(done)) for _ in range(2 + killed)]
        for terminal in terminals[2:]:
            terminal.kill()
        for process in leaving:
            process.communicate(timeout=HANG_SECONDS)
        for process in asking:
            said, _ = process.communicate(timeout=HANG_SECONDS)
            assert (process.returncode, int(said) >= 1) == (0, True)
        until(lambda: not waiting())
        done.touch()
        given = [int(each.communicate(timeout=HANG_SECONDS)[0]) for each in terminals[:2]]
    with Ledger.open() as ledger:
        assert ledger.broken() is None
        events = ledger.events()
    kinds = Counter(event.kind for event in events)
    assert kinds[book.ASKED] == kinds[book.ANSWERED] == sessions + killed
    assert kinds[book.USED] == sessions
    who = Counter(unpack(event.data)[1] for event in events if event.kind == "answer")
    assert who[TERMINAL] + who[NOTIFIED] == sessions + killed
    assert sum(given) <= who[TERMINAL] <= sum(given) + killed
    used = {event.subject for event in events if event.kind == book.USED}
    approved = [decode(event.data) for event in events if event.kind == book.APPROVED]
    asked = {event.subject: event.data for event in events if event.kind == book.ASKED}
    requests = [decode_question(asked[one.question]).request for one in approved if one.id in used]
    assert sorted(requests) == sorted(f"git push origin topic-{n}" for n in range(sessions))


def waiting() -> Sequence[object]:
    with Ledger.open(seconds=book.PATIENT_SECONDS) as ledger:
        return ledger.waiting()


@pytest.fixture
def notify(home: Path) -> None:
    """A command of the user's that says yes to a part of the questions, and fails at others."""
    program = write(home / "tell", NOTIFY)
    program.chmod(0o700)
    write(home / ".config/execpolicy/config.toml", f'notify = "{program}"\n')


NOTIFY = """\
#!/bin/sh
case $(cat) in
*topic-*[05]*) exit 1 ;;
*topic-*[16]*) echo nonsense ;;
*topic-*[27]*) kill -9 $$ ;;
*) echo '{"answer": "once"}' ;;
esac
"""


@pytest.mark.usefixtures("notify")
def test_four_sessions_and_two_terminals(tmp_path: Path) -> None:
    race(tmp_path, sessions=4, killed=1)


@pytest.mark.slow
@pytest.mark.usefixtures("notify")
def test_twenty_sessions_and_terminals_that_are_killed(tmp_path: Path) -> None:
    race(tmp_path, sessions=20, killed=4)
