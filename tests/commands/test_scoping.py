"""Scopes in `check` and in the hooks: each source only narrows."""

import json
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.commands.hook import Hook
from execpolicy.commands.scoping import Bound, narrowed, top
from execpolicy.model.scope import Scope
from tests.places.machine import Machine


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a/sub", "b", ".git/objects", ".git/refs"):
        (tmp_path / "w" / name).mkdir(parents=True)
    (tmp_path / "w/.git/HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(tmp_path / "w")
    return (tmp_path / "w").resolve()


def test_check_with_a_scope(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(dispatch, ["check", "--scope", "a", "-c", "touch b/x"]) == ExitCode.FORBIDDEN
    out = capsys.readouterr().out
    assert "`b/x` is outside your scope `a`: you may write in `a` and nowhere else" in out
    assert run(dispatch, ["check", "--scope", "a", "-c", "touch a/x"]) == ExitCode.PROMPT
    assert run(dispatch, ["check", "--scope", "a", "--cwd", ".", "-c", "ls"]) == ExitCode.ALLOW


def test_a_scope_starts_from_the_directory_of_the_command(project: Path) -> None:
    arguments = ["check", "--cwd", "a", "--scope", "sub", "-c", "touch x"]
    assert run(dispatch, arguments) == ExitCode.FORBIDDEN


@pytest.mark.parametrize("folder", ["missing", "..", "/"])
def test_a_scope_that_is_none_is_a_mistake(
    project: Path, capsys: pytest.CaptureFixture[str], folder: str
) -> None:
    assert run(dispatch, ["check", "--scope", folder, "-c", "ls"]) == ExitCode.USAGE
    assert folder in capsys.readouterr().err


def test_each_line_of_a_stream(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io
    import sys

    lines = b'{"command": "touch b/x"}\n{"command": "ls"}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert run(dispatch, ["check", "--scope", "a", "--jsonl"]) == ExitCode.ALLOW
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["decision"] for one in found] == ["forbidden", "allow"]
    assert found[0]["operations"][0]["matches"][-1]["source"] == "scope"


def answer(project: Path, tool: str, given: dict[str, str], **more: object) -> str:
    call = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
    data = json.dumps({**call, "cwd": str(project), **more}).encode()
    said = Hook("claude").answer(data).stdout
    return json.loads(said)["hookSpecificOutput"]["permissionDecisionReason"] if said else ""


def refused(project: Path, tool: str, given: dict[str, str], **more: object) -> bool:
    return "outside your scope" in answer(project, tool, given, **more)


def test_the_payload_of_a_sub_agent(project: Path) -> None:
    rows = (
        ("Write", {"file_path": "b/x"}, True),
        ("Write", {"file_path": "a/x"}, False),
        ("Read", {"file_path": "b/x"}, False),
        ("Bash", {"command": "touch b/x"}, True),
        ("mcp__fs__write_file", {"path": "b/x"}, True),
        ("mcp__fs__write_file", {"path": "a/x"}, False),
        ("mcp__fs__read_file", {"path": "b/x"}, False),
        ("apply_patch", {"command": "*** Add File: b/x"}, True),
        ("move_file", {"source": "a/x", "destination": "b/x"}, True),
    )
    for tool, given, expected in rows:
        assert refused(project, tool, given, scope="a") is expected, (tool, given)
        assert not refused(project, tool, given)


def test_a_variable_and_a_payload_narrow_together(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXECPOLICY_SCOPE", "a/sub")
    assert refused(project, "Write", {"file_path": "a/x"}, scope="a")
    assert not refused(project, "Write", {"file_path": "a/sub/x"}, scope="a")
    assert refused(project, "Write", {"file_path": "b/x"}, scope="b")
    assert refused(project, "Write", {"file_path": "a/sub/x"}, scope="b")


def test_a_file_has_the_scopes_of_agents(project: Path) -> None:
    (project / ".execpolicy").mkdir()
    said = {"porter": "a", "reader": {"folder": "a", "shell": False}, "odd": 7}
    file = project / ".execpolicy/scopes.json"
    file.write_text(json.dumps(said))
    write = {"file_path": "b/x"}
    assert refused(project, "Write", write, agent_type="porter")
    assert not refused(project, "Write", write, agent_type="another")
    assert not refused(project, "Write", write)
    assert refused(project, "Write", write, agent_type="odd")
    off = answer(project, "Bash", {"command": "ls"}, agent_type="reader")
    assert "the shell is switched off in this scope" in off
    file.write_text("{")
    assert refused(project, "Write", {"file_path": "a/x"}, agent_type="another")


NARROWED = [
    ("a", ("/p/a",)),
    (".", ("/p",)),
    ("..", ("/",)),
    ("/", ("/",)),
    ("/else", ()),
    ("out", ()),
    ("loop", ()),
    (None, ()),
]


@pytest.mark.parametrize(("folder", "writable"), NARROWED)
def test_what_a_folder_leaves(folder: str | None, writable: tuple[str, ...]) -> None:
    machine = Machine({"/p/a/f": "", "/p/out": "→ /else", "/p/loop": "→ loop"})
    found = narrowed(top("/p"), Bound(folder, "the test"), machine)
    assert found.writable == writable
    again = narrowed(found, Bound("/", "the test", shell=False), machine)
    assert (again.writable, again.shell) == (writable if writable else (), False)
    assert isinstance(again, Scope)
