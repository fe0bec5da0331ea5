"""`execpolicy init`: a preset becomes the user's first layer."""

import shutil
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.model.decision import Decision
from tests.store.support import decision

A, P, F = Decision


def init(*arguments: str) -> int:
    return run(dispatch, ["init", *arguments])


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("careful", {"ls": A, "touch x": P, "git push": P, "rm -rf x": F, "cat ~/.ssh/id_rsa": F}),
        ("standard", {"ls": A, "touch x": P, "git push": P, "rm -rf x": P, "cat ~/.ssh/id_rsa": P}),
        ("unattended", {"ls": A, "touch x": A, "git push": F, "rm -rf x": F, "cat .env": F}),
    ],
)
def test_what_a_preset_says(
    preset: str, expected: dict[str, Decision], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert init("--preset", preset) == ExitCode.ALLOW
    assert {c: decision(home, c) for c in expected} == expected
    assert init(f"--preset={preset}") == ExitCode.ALLOW
    assert "already" in capsys.readouterr().out
    assert init() == ExitCode.ALLOW  # an unchanged preset may be replaced by another


def test_what_a_person_changed_stays(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert init() == ExitCode.ALLOW
    path = home / ".config/execpolicy/rules/preset.rules"
    path.write_text(path.read_text() + "# mine\n")
    assert init("--preset", "careful") == ExitCode.ERROR
    assert "was changed" in capsys.readouterr().err
    assert path.read_text().endswith("# mine\n")


def test_hosts_that_are_here_are_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    (home / ".claude").mkdir()
    (home / ".codeium/windsurf").mkdir(parents=True)
    assert init() == ExitCode.ALLOW
    out = capsys.readouterr().out
    assert "next: execpolicy import claude\nnext: execpolicy install claude\n" in out
    assert "next: execpolicy install windsurf\n" in out
    assert "gemini" not in out
    assert "next: execpolicy check -- git push  #" in out


@pytest.mark.parametrize("arguments", [["x"], ["--preset"], ["--preset", "wild"]])
def test_usage_errors_are_64(arguments: list[str]) -> None:
    assert init(*arguments) == ExitCode.USAGE


def test_commits_are_asked_about_on_demand(home: Path) -> None:
    assert init("--preset", "developer", "--commits", "ask") == ExitCode.ALLOW
    rules = home / ".config/execpolicy/rules/preset.rules"
    assert 'justification = "commits are to be asked about"' in rules.read_text()
    expected = {"git status": A, "git commit -m x": P, "git rebase main": P, "git merge x": P}
    assert {c: decision(home, c) for c in expected} == expected
    assert init("--preset", "developer", "--commits", "pass") == ExitCode.ALLOW
    assert "commits are to be asked about" not in rules.read_text()
