"""What this program keeps is not there inside; the rules are. What commands flood is counted."""

import json
import os
import sys
from pathlib import Path

import pytest

from execpolicy.commands import afterwards
from execpolicy.model.decision import Decision
from execpolicy.policy.network_hosts import TUNNEL, Attempt, Ruling
from execpolicy.policy.policy import Policy
from execpolicy.proxy.events import Event
from execpolicy.sandbox.backends import serving
from execpolicy.sandbox.backends.serving import Way
from execpolicy.sandbox.leftovers.quarantine import Moved
from execpolicy.support import directories
from execpolicy.support.hostname import Host
from tests.sandbox.test_run import MODULE, run

TRIES = [
    "cat {state}/audit.jsonl",
    "ls {state}",
    "flock {cache}/*/.builtin.lock true",
    "flock -n {state}/runs/*.lock true",
    "echo x > {state}/audit.jsonl",
    "mv {state} {state}2",
]


@pytest.mark.parametrize("text", TRIES)
@pytest.mark.parametrize("session", [[], ["--session", str(os.getpid())]])
def test_nothing_of_it_is_reached(project: Path, text: str, session: list[str]) -> None:
    run(project, "--", "true")
    given = {"state": directories.state(), "cache": os.path.dirname(directories.cache())}
    done = run(project, *session, "-c", f"{text.format(**given)} && echo reached")
    assert "reached" not in done.stdout, done.stderr


def test_rules_are_read_inside(project: Path, home: Path) -> None:
    rules = home / ".config/execpolicy/rules/own.rules"
    rules.parent.mkdir(parents=True)
    rules.write_text('prefix_rule(["ls"], decision = "forbidden", justification = "mine")\n')
    assert "mine" in run(project, "-c", f"cat {rules}").stdout


def test_a_check_inside_says_what_it_does_not_see(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = " ".join([*MODULE, "check", "--", "ls"])
    path = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path[1:]])
    done = run(project, "-c", f"PYTHONPATH={path} {words}")
    if any(why in done.stderr for why in ("No module named", "No such file", "not found")):
        pytest.skip("NOT TESTED: what runs this is not there inside")
    assert "what is trusted are not seen either" in done.stderr


def test_what_was_moved_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    afterwards.tell_moved(Moved(f"/p/{n}/.envrc", f"/q/{n}") for n in range(20_001))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == afterwards.MAX_TOLD + 1
    assert str(20_001 - afterwards.MAX_TOLD) in lines[-1]


def test_what_is_wrong_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    afterwards.tell_problems([f"problem {n}" for n in range(500)])
    assert len(capsys.readouterr().err.splitlines()) == afterwards.MAX_TOLD + 1


def test_connections_of_a_run_are_counted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    way, lines = Way(Policy), _Lines()
    monkeypatch.setattr(way, "_events", lines)
    event = Event(Attempt(Host("a.test"), TUNNEL, 1), Ruling(Decision.ALLOW, "rule", ""))
    for _ in range(serving.MAX_WRITTEN + 7):
        way._log(event)
    way.ended()
    assert lines.written == serving.MAX_WRITTEN
    log = Path(directories.state()) / "network.jsonl"
    assert json.loads(log.read_text().splitlines()[-1])["more"] == 7


class _Lines:
    """Stands for the log of events."""

    def __init__(self) -> None:
        self.written = 0

    def __call__(self, event: Event) -> None:
        self.written += 1

    def flush(self) -> None:
        """Nothing waits."""
