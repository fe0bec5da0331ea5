"""`check --host`: what the hook would answer, for people and for programs."""

import json
from pathlib import Path

import jsonschema
import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.hosts.protocols import AGENTS, load
from tests.store.support import user, write

SCHEMA = json.loads((Path(__file__).parents[2] / "grammar/verdict.schema.json").read_text())


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, str]:
    run(dispatch, ["check", "--format", "json", *arguments])
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA)
    answer: dict[str, str] = found["host"]
    return answer


def test_the_exit_code_is_the_verdicts(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    user(home, 'prefix_rule(["mine"])\nprefix_rule(["never"], "forbidden")')
    for words, code, says in [
        (["mine"], ExitCode.ALLOW, "  claude (default): grant: "),
        (["npm", "test"], ExitCode.PROMPT, "  claude (default): silent: the host asks by itself"),
        (["git", "push"], ExitCode.PROMPT, "  claude (default): ask: no list of yours"),
        (["never"], ExitCode.FORBIDDEN, "  claude (default): refuse: the verdict forbids it"),
    ]:
        arguments = ["check", "--host", "claude", "--mode", "default", "--", *words]
        assert run(dispatch, arguments) == code
        assert says in capsys.readouterr().out


def test_without_a_mode_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "--host", "claude", "--", "npm", "test") == {
        "name": "claude",
        "mode": "",
        "answer": "ask",
        "why": "it is not certain that the host asks by itself",
    }


@pytest.mark.parametrize("host", AGENTS)
def test_each_host_in_each_of_its_modes(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    for mode in load(host).MODES:
        found = told(capsys, "--host", host, "--mode", mode.upper(), "--", "git", "push", "-f")
        assert found["answer"] in ("ask", "refuse", "silent")
        assert found["mode"] == mode.upper()


def test_a_stream_has_it_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import io
    import sys

    lines = b'{"command": ""}\n{"command": "git push -f", "cwd": "."}\n{"argv": []}\n'
    stdin = io.TextIOWrapper(io.BytesIO(lines))
    monkeypatch.setattr(sys, "stdin", stdin)
    run(dispatch, ["check", "--jsonl", "--host", "codex"])
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("host", {}).get("answer") for line in found] == ["silent", "refuse", None]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--host", "emacs", "ls"], "unknown host `emacs`: use one of antigravity, claude"),
        (
            ["--host", "claude", "--mode", "x", "ls"],
            "unknown mode `x`: use one of default, acceptE",
        ),
        (["--mode", "default", "ls"], "`--mode` needs `--host NAME`"),
        (
            ["--host", "codex", "--format", "requirement", "ls"],
            "`--host` cannot be used with `--format requirement`",
        ),
        (["--cwd", "/nowhere/at all", "ls"], "`/nowhere/at all` is not a directory"),
        (["--cwd", "/etc/passwd", "ls"], "`/etc/passwd` is not a directory"),
    ],
)
def test_what_is_no_host_no_mode_and_no_directory(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dispatch, ["check", *arguments]) == ExitCode.USAGE
    assert says in capsys.readouterr().err


def test_relative_paths_mean_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    user(home, f'path_rule(["{tmp_path}/x"], modes = ["write"], decision = "forbidden")')
    write(tmp_path / "sub/a", "")
    monkeypatch.chdir(tmp_path)
    assert run(dispatch, ["check", "-c", "echo a > x"]) == ExitCode.FORBIDDEN
    assert run(dispatch, ["check", "--cwd", "sub", "-c", "echo a > ../x"]) == ExitCode.FORBIDDEN
    assert run(dispatch, ["check", "--cwd", "sub", "-c", "echo a > x"]) == ExitCode.PROMPT
