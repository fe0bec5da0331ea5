"""What became of a call: its line in the log joined with its question and its answer."""

import json
import shutil
import time
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands import replying
from execpolicy.commands.outcomes import Outcomes
from execpolicy.engine.audit import as_line, log_path
from execpolicy.hosts.transcripts.read import of_file
from execpolicy.model.approval import Life
from execpolicy.store.log_file import timestamp
from execpolicy.store.log_lines import newest
from tests.approvals.test_left import call, left, passes, project

__all__ = ["project"]


def outcomes() -> list[str]:
    """What became of each call, the oldest first."""
    found = Outcomes.load()
    every = [found.of(line) for line in newest(log_path())][::-1]
    return [str(one) for one in every]


def test_a_call_goes_its_way(project: Path) -> None:
    assert outcomes_of(project, "ls") == "ran"
    assert outcomes_of(project, "rm -rf /") == "refused"
    question = left(project, "git push")
    assert outcomes()[-1] == f"waits {question.code}"
    replying.answer(question, Life.ONCE)
    assert outcomes()[-1] == "asked: yes"
    assert passes(project, "git push")
    assert outcomes()[-1] == "asked: yes (by terminal)"
    replying.answer(left(project, "git push"), Life.REJECT, feedback="open a pull request")
    assert outcomes()[-1] == "asked: no (open a pull request)"


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


TRANSCRIPTS = {
    "claude-2.1.292": ".claude/projects/-p/{}.jsonl",
    "codex-0.171.0": ".codex/sessions/2026/11/01/rollout-2026-11-01T00-00-00-{}.jsonl",
    "copilot-1.0.102": ".copilot/session-state/{}/events.jsonl",
    "gemini-0.61.0": ".gemini/tmp/p/chats/session-2026-11-01T00-00-{:.8}.jsonl",
    "opencode-1.18.33": ".local/share/opencode/storage/part/{}.jsonl",
    "qwen-0.24.4": ".qwen/projects/-p/chats/{}.jsonl",
}
"""Where each host has such a file, by its session."""


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_what_was_answered_in_the_hosts_own_dialog(name: str, home: Path) -> None:
    sample = Path(__file__).parents[1] / f"hosts/transcripts/{name}.jsonl"
    gathered = of_file(str(sample))
    assert gathered is not None
    place = home / TRANSCRIPTS[name].format(gathered.calls[0].session)
    place.parent.mkdir(parents=True)
    shutil.copy(sample, place)
    outcomes = Outcomes.load()
    for made in gathered.calls:
        asked = {"decision": "prompt", "agent": made.agent, "session": made.session}
        line = {**asked, "time": made.time, **as_line(made.request)}
        assert str(outcomes.of(line)) == f"asked: ran (in {made.agent})"
        for other in ({"session": "another one"}, {"command": "another"}, {"agent": "windsurf"}):
            assert outcomes.of({**line, **other}).word == "asked"
        assert outcomes.of({**line, "time": "2001-01-01T00:00:00Z"}).word == "asked"


SAID = {
    "The user doesn't want to proceed with this tool use.": "asked: no (in claude)",
    "Permission to use Bash has been denied.": "refused (in claude)",
    "Everything up-to-date": "asked: ran (in claude)",
}


def test_the_last_call_before_a_line_is_meant(project: Path, home: Path) -> None:
    place = home / ".claude/projects/-p/sessions-1.jsonl"
    place.parent.mkdir(parents=True)
    for number, result in enumerate(SAID):
        call(project, "git push", "sessions-1", "default")
        with place.open("a") as file:
            for kind, block in (
                ("assistant", {"type": "tool_use", "id": f"t{number}", "name": "Bash",
                               "input": {"command": "git push"}}),
                ("user", {"type": "tool_result", "tool_use_id": f"t{number}",
                          "is_error": not result.startswith("Every"), "content": result}),
            ):  # fmt: skip
                said = {"type": kind, "message": {"content": [block]}, "parentUuid": None,
                        "sessionId": "sessions-1", "timestamp": timestamp(time.time())}  # fmt: skip
                file.write(json.dumps(said) + "\n")
        assert outcomes()[-1] == SAID[result]


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
