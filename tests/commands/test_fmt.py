"""`execpolicy fmt`: files, `--check`, `--diff` and stdin."""

import io
import os
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run

UGLY = "prefix_rule(['ls'])#why\n"
TIDY = 'prefix_rule(["ls"])  #why\n'


def fmt(*arguments: str) -> int:
    return run(dispatch, ["fmt", *arguments])


@pytest.fixture
def ugly(tmp_path: Path) -> Path:
    path = tmp_path / "a.rules"
    path.write_text(UGLY)
    path.chmod(0o640)
    return path


def test_a_file_is_rewritten_with_its_mode(ugly: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fmt(str(ugly)) == ExitCode.ALLOW
    assert ugly.read_text() == TIDY
    assert ugly.stat().st_mode & 0o777 == 0o640
    assert capsys.readouterr().out == f"reformatted {ugly}\n"
    assert fmt("--check", str(ugly)) == ExitCode.ALLOW


def test_check_and_diff_write_nothing(ugly: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fmt("--check", str(ugly)) == ExitCode.ERROR
    assert fmt("--diff", str(ugly)) == ExitCode.ALLOW
    assert fmt("--diff", "--check", str(ugly)) == ExitCode.ERROR
    assert ugly.read_text() == UGLY
    assert f"+{TIDY}" in capsys.readouterr().out


def test_a_link_stays_a_link(ugly: Path, tmp_path: Path) -> None:
    link = tmp_path / "b.rules"
    os.symlink(ugly, link)
    assert fmt(str(link)) == ExitCode.ALLOW
    assert link.is_symlink()
    assert ugly.read_text() == TIDY


def test_stdin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(UGLY.encode())))
    assert fmt("-") == ExitCode.ALLOW
    assert capsys.readouterr().out == TIDY


def test_a_broken_file_keeps_no_other_back(
    ugly: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "0.rules"
    broken.write_text("prefix_rule(")
    assert fmt(str(broken), str(ugly)) == ExitCode.ERROR
    assert ugly.read_text() == TIDY
    assert broken.read_text() == "prefix_rule("
    assert "never closed" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--bogus", "x"]])
def test_usage(arguments: list[str]) -> None:
    assert fmt(*arguments) == ExitCode.USAGE
