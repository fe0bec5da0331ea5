"""What became of a call: its line in the log joined with its question and its answer."""

import time
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands import replying
from execpolicy.commands.outcomes import Outcomes
from execpolicy.engine.audit import log_path
from execpolicy.model.approval import Life
from execpolicy.store.log_lines import newest
from tests.approvals.test_left import call, left, passes, project

__all__ = ["project"]


def outcomes() -> list[str]:
    """What became of each call, the oldest first."""
    found = Outcomes.load()
    every = [found.of(line) for line in newest(log_path())][::-1]
    return [f"{one.word} {one.more}".strip() for one in every]


def test_a_call_goes_its_way(project: Path) -> None:
    assert outcomes_of(project, "ls") == "ran"
    assert outcomes_of(project, "rm -rf /") == "refused"
    question = left(project, "git push")
    assert outcomes()[-1] == f"waits {question.code}"
    replying.answer(question, Life.ONCE)
    assert outcomes()[-1] == "asked: yes"
    assert passes(project, "git push")
    assert outcomes()[-1] == "asked: yes by terminal"
    replying.answer(left(project, "git push"), Life.REJECT, feedback="open a pull request")
    assert outcomes()[-1] == "asked: no open a pull request"


def outcomes_of(project: Path, command: str) -> str:
    call(project, command)
    return outcomes()[-1]


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ({"decision": "allow"}, "ran"),
        ({"decision": "allow", "way": "run"}, "ran in the sandbox"),
        ({"decision": "prompt", "way": "run", "confined": "allow"}, "asked"),
        ({"decision": "prompt", "way": "confined", "confined": "allow"}, "ran in the sandbox"),
        ({"decision": "prompt"}, "asked"),
        ({"decision": "forbidden", "way": "run"}, "refused"),
    ],
)
def test_a_line_alone(line: dict[str, object], outcome: str) -> None:
    assert Outcomes(()).of(line).word == outcome


def test_answers_of_another_session_are_not_this_ones(project: Path) -> None:
    replying.answer(left(project, "git push", "s1"), Life.REJECT)
    left(project, "git push", "s2")
    assert [one.partition(" ")[0] for one in outcomes()] == ["asked:", "waits"]


def test_statistics(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dispatch(["log", "--stats"])
    assert capsys.readouterr().out == "no decision was logged\n"
    for command in ("ls", "git push", "git push", "rm -rf /"):
        call(project, command)
    dispatch(["log", "--stats"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["ran", "1"],
        ["waits", "2"],
        ["refused", "1"],
    ]
    assert ["claude", "4", "2", "1"] in [line.split() for line in lines]
    assert ["2", "git", "push"] in [line.split() for line in lines]


def test_calls_of_a_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(project, "ls")
    dispatch(["log", "--project", str(project)])
    assert "ls" in capsys.readouterr().out
    dispatch(["log", "--project", str(project.parent / ".")])
    assert "ls" in capsys.readouterr().out
    (project / "sub").mkdir()
    dispatch(["log", "--project", str(project / "sub")])
    assert capsys.readouterr().out == ""


def test_times_are_local(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call(project, "ls")
    shown = []
    for zone in ("UTC", "UTC-3"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        dispatch(["log"])
        shown.append(capsys.readouterr().out.splitlines()[1].split()[1])
    monkeypatch.undo()
    time.tzset()
    hours = [int(each.partition(":")[0]) for each in shown]
    assert (hours[0] + 3) % 24 == hours[1]
