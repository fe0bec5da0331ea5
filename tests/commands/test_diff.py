"""`execpolicy diff`: what other rules would decide otherwise."""

import io
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run


def test_differences_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.rules").write_text('prefix_rule(["deploy"], "prompt")\n')
    (tmp_path / "new.rules").write_text('prefix_rule(["deploy"], "forbidden")\n')
    paths = [str(tmp_path / "old.rules"), str(tmp_path / "new.rules")]
    monkeypatch.setattr("sys.stdin", io.StringIO("ls\n\ndeploy now\n"))
    assert run(dispatch, ["diff", *paths]) == ExitCode.ERROR
    out = capsys.readouterr().out
    assert out.startswith("deploy now\n  - prompt: ")
    assert out.endswith("2 commands, 1 decided otherwise\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("ls\n"))
    assert run(dispatch, ["diff", *paths]) == ExitCode.ALLOW


@pytest.mark.parametrize("arguments", [[], ["a"], ["--bogus", "a", "b"]])
def test_usage(arguments: list[str]) -> None:
    assert run(dispatch, ["diff", *arguments]) == ExitCode.USAGE
