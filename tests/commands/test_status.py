"""`status` and `brief`: one screen for the user, eight lines for an agent."""

import json
import os
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands import brief
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.commands.hook import Hook
from execpolicy.hosts.payloads import words
from execpolicy.hosts.protocols import BRIEFED
from tests.approvals.test_left import call, left, project

__all__ = ["project"]


def said(capsys: pytest.CaptureFixture[str], command: str) -> str:
    capsys.readouterr()
    assert run(dispatch, [command]) == ExitCode.ALLOW
    return capsys.readouterr().out


def test_a_new_machine(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(home))
    monkeypatch.chdir(home)
    page = said(capsys, "status")
    assert "agents      none found on this machine\n" in page
    assert "waiting     nothing\n" in page
    assert "asked most  nothing in 7 days\n" in page


def test_what_waits_and_what_asks_most(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text("{}")
    code = left(project, "git push").code
    call(project, "git push")
    call(project, "ls")
    monkeypatch.chdir(project)
    page = said(capsys, "status")
    assert "agents      Claude Code: no hook (execpolicy install claude)\n" in page
    assert f"waiting     {code}  " in page
    assert "asked most  2 times  git push\n" in page
    assert "              execpolicy amend -c 'git push'\n" in page


def test_the_preset_and_the_calls_of_tools(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dispatch(["init", "--preset", "careful"])
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(project),
               "tool_name": "WebFetch", "tool_input": {"url": "https://example.org/"}}  # fmt: skip
    Hook("claude").answer(json.dumps(payload).encode())
    page = said(capsys, "status")
    assert "preset careful" in page
    assert page.endswith("asked most  once  https example.org\n")


def test_rules_of_a_project_that_are_not_trusted(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".execpolicy/rules").mkdir(parents=True)
    (project / ".execpolicy/rules/a.rules").write_text('prefix_rule(["x"])\n')
    monkeypatch.chdir(project)
    assert "not trusted, so it only tightens" in " ".join(said(capsys, "status").split())


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_no_line_is_wider_than_the_terminal(
    project: Path, columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.chdir(project)
    left(project, f"git push {' '.join(f'refs/heads/topic-{n}' for n in range(40))}")
    assert max(map(len, said(capsys, "status").splitlines())) <= int(columns)


def test_an_agent_reads_eight_lines_in_the_words_of_the_refusals(project: Path) -> None:
    text = brief.text(str(project))
    assert len(text.splitlines()) == 8
    assert f"Your project is {project}." in text
    assert call(project, "git push").startswith(f"deny: {words.NEEDS} ")
    assert call(project, "rm -rf /").startswith(f"deny: {words.FORBIDS}")
    assert f'"{words.NEEDS} CODE"' in text
    assert f'"{words.FORBIDS}"' in text


@pytest.mark.parametrize("host", BRIEFED)
def test_it_is_told_where_a_session_begins(host: str, project: Path) -> None:
    payload = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(project)}
    reply = json.loads(Hook(host).answer(json.dumps(payload).encode()).stdout)
    told = {"additionalContext": brief.text(str(project))}
    nested = {"hookSpecificOutput": {"hookEventName": "SessionStart", **told}}
    assert reply == (told if host == "copilot" else nested)


def test_of_other_events_nothing_is_said(project: Path) -> None:
    payload = {"hook_event_name": "SessionEnd", "session_id": "s", "cwd": os.fspath(project)}
    assert Hook("claude").answer(json.dumps(payload).encode()).stdout == ""


def test_one_line_for_a_status_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def line() -> str:
        capsys.readouterr()
        assert run(dispatch, ["status", "--line"]) == ExitCode.ALLOW
        return capsys.readouterr().out

    assert line() == "nothing waits\n"
    code = left(project, "git push").code
    left(project, "git push --tags && " + "x" * 200)
    assert line().startswith(f"2 wait: {code} ")
    assert len(line()) <= 81
