"""`execpolicy log`: filters, forms, and following across a rotation."""

import json
import os
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.commands.log import _moment
from execpolicy.store import log_lines
from execpolicy.store.log_file import timestamp
from execpolicy.store.log_lines import BLOCK, Follower, newest

HOUR = 3600


def line(ago: float, decision: str, program: str, **more: Any) -> dict[str, Any]:
    operations = [{"decision": decision, "program": program}]
    when = timestamp(time.time() - ago)
    command = more.pop("command", f"{program} x")
    return {
        "time": when,
        "decision": decision,
        "command": command,
        "operations": operations,
        **more,
    }


@pytest.fixture
def path(home: Path) -> Path:
    found = home / ".local/state/execpolicy/audit.jsonl"
    found.parent.mkdir(parents=True)
    return found


OTHERS = (
    ({"command": "", "operations": [{"access": "write", "path": "/a"}]}, "write /a"),
    ({"operations": [{"connect": "https", "host": "b.org"}]}, "https b.org"),
    ({"signature": "refused", "question": "K7QX2M", "reason": "why"}, "a signed answer to K7QX2M"),
    ({"undo": 3, "removed": 2, "command": "rm x"}, "rm x: 2 files removed, execpolicy undo 3"),
)
"""Lines that have no command of their own."""


def fill(path: Path, *lines: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.writelines(json.dumps(one) + "\n" for one in lines)


def log(*arguments: str) -> int:
    return run(dispatch, ["log", *arguments])


LINES = (
    line(5 * HOUR, "allow", "ls", session="s1", agent="claude"),
    line(3 * HOUR, "prompt", "git", session="s1", agent="codex"),
    line(1 * HOUR, "forbidden", "rm", session="s2", agent="claude"),
    line(60, "prompt", "git", session="s2"),
)


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ([], [0, 1, 2, 3]),
        (["--decision", "prompt"], [1, 3]),
        (["--decision=prompt", "--decision=forbidden"], [1, 2, 3]),
        (["--program", "git"], [1, 3]),
        (["--session", "s1"], [0, 1]),
        (["--agent", "claude"], [0, 2]),
        (["--since", "2h"], [2, 3]),
        (["--until", "90m"], [0, 1]),
        (["--since", "4h", "--until", "30m"], [1, 2]),
        (["--since", "10s"], []),
        (["-n", "2"], [2, 3]),
        (["-n", "0"], [0, 1, 2, 3]),
        (["--program", "git", "-n", "1"], [3]),
    ],
)
def test_filters(
    arguments: list[str], numbers: list[int], path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(path, *LINES)
    assert log("--json", *arguments) == ExitCode.ALLOW
    shown = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert shown == [LINES[n] for n in numbers]


def test_older_files_come_first(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(path.with_name("audit.jsonl.2"), LINES[0])
    fill(path.with_name("audit.jsonl.1"), LINES[1])
    fill(path, LINES[2])
    log("--json")
    shown = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert shown == list(LINES[:3])


@pytest.mark.parametrize("size", [1, 7, 64, BLOCK])
def test_what_is_read_from_the_end_is_what_stands_there(
    size: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the blocks cut, through files that were moved aside, with a line half written."""
    monkeypatch.setattr(log_lines, "BLOCK", size)
    every = [{"time": f"2026-01-01T00:00:{n:02}.000Z", "text": "x" * (n * 5)} for n in range(30)]
    fill(path.with_name("audit.jsonl.2"), *every[:9])
    fill(path.with_name("audit.jsonl.1"), *every[9:21])
    fill(path, *every[21:])
    with path.open("a") as file:
        file.write('{"time": "2')
    assert [*newest(str(path))] == every[::-1]
    since = str(every[12]["time"])
    assert [*newest(str(path), since)] == every[:11:-1]


def test_nothing_is_read_that_is_not_shown(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path, *(line(HOUR - n, "allow", "x" * 1000) for n in range(1000)))
    read: list[int] = []
    pread = os.pread

    def counted(file: int, size: int, at: int) -> bytes:
        read.append(size)
        return pread(file, size, at)

    monkeypatch.setattr(os, "pread", counted)
    assert len([*islice(newest(str(path)), 20)]) == 20
    assert sum(read) == BLOCK < path.stat().st_size / 7


def test_what_comes_while_the_last_lines_are_read_is_shown_once(path: Path) -> None:
    fill(path, LINES[0])
    follower = Follower(str(path), at_end=True)
    fill(path, LINES[1])
    path.rename(path.with_name("audit.jsonl.1"))
    fill(path, LINES[2])
    assert [*newest(str(path), before=follower.place())] == [LINES[0]]
    assert [*follower.lines()] == [LINES[1], LINES[2]]
    follower.close()


def test_a_table_for_people(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(path, *LINES, line(0, "allow", "x", command="[red]a[/] \x1b[2K\u202e", again=True))
    assert log() == ExitCode.ALLOW
    head, *rows, counts = capsys.readouterr().out.splitlines()
    assert counts == "asked the first time: 4, asked again: 1"
    assert head.split() == ["time", "outcome", "agent", "session", "project", "command"]
    assert rows[0].split()[2:] == ["ran", "claude", "s1", "ls", "x"]
    assert rows[-1].rstrip().endswith(r"[red]a[/] \x1b[2K\u202e")


def test_without_commands_programs_are_shown(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = {k: v for k, v in LINES[1].items() if k != "command"}
    fill(path, bare)
    log()
    assert capsys.readouterr().out.splitlines()[1].split()[-1] == "git"


@pytest.mark.parametrize(("given", "shown"), OTHERS)
def test_lines_without_a_command(
    given: dict[str, Any], shown: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(path, given)
    log()
    assert shown in capsys.readouterr().out


def test_no_log_and_broken_lines_are_fine(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert log() == ExitCode.ALLOW
    path.write_bytes(b'\xff\n{"time": 1\n[]\n{"decision": "allow", "operations": 5}\n')
    assert log("--json", "--program", "x") == ExitCode.ALLOW
    assert capsys.readouterr().out == ""
    log("--json")
    assert capsys.readouterr().out == '{"decision": "allow", "operations": 5}\n'


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--bogus"], "unknown option `--bogus`"),
        (["x"], "unexpected argument `x`"),
        (["--since"], "option `--since` needs a value"),
        (["--since", "yesterday"], "`yesterday` is not a time: write 2h or 2026-01-31T12:00:00Z"),
        (["--decision", "maybe"], "unknown decision `maybe`: use allow, prompt or forbidden"),
        (["-n", "-1"], "`-n` takes a number of lines, 0 for all, not `-1`"),
    ],
)
def test_usage(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert log(*arguments) == ExitCode.USAGE
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"),
        ("2026-01-31T12:00:00.25+02:00", "2026-01-31T10:00:00.250Z"),
    ],
)
def test_moments(text: str, moment: str) -> None:
    assert _moment(text) == moment


def test_help_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert log("--help") == ExitCode.ALLOW
    assert "execpolicy log --decision forbidden --since 2h" in capsys.readouterr().out


def test_following_survives_a_rotation(path: Path) -> None:
    follower = Follower(str(path))
    assert list(follower.lines()) == []
    fill(path, LINES[0])
    assert list(follower.lines()) == [LINES[0]]
    fill(path, LINES[1])
    path.rename(path.with_name("audit.jsonl.1"))
    fill(path, LINES[2])
    assert list(follower.lines()) == [LINES[1], LINES[2]]
    path.write_text(path.read_text() + '{"half": ')
    assert list(follower.lines()) == []
    with path.open("a") as file:
        file.write("1}\n")
    assert list(follower.lines()) == [{"half": 1}]
    follower.close()


def test_following_shows_new_lines_as_they_come(path: Path) -> None:
    fill(path, LINES[1])
    command = [sys.executable, "-m", "execpolicy", "log", "-f", "--json", "--decision", "prompt"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stdout
        try:
            assert json.loads(process.stdout.readline()) == LINES[1]
            fill(path, LINES[2], LINES[3])
            assert json.loads(process.stdout.readline()) == LINES[3]
        finally:
            process.terminate()
