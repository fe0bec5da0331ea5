"""`execpolicy doctor` runs the installed line itself, and says what to type."""

import sys
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.exit import ExitCode, run
from execpolicy.hosts import place
from execpolicy.hosts.host import HOSTS
from tests.store.support import user, write


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = write(
        tmp_path / "bin/execpolicy", f'#!/bin/sh\nexec {sys.executable} -m execpolicy "$@"\n'
    )
    path.chmod(0o755)
    monkeypatch.setattr(place, "program", lambda: str(path))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return path


def command(*arguments: str) -> int:
    return run(dispatch, list(arguments))


@pytest.mark.parametrize("name", HOSTS)
def test_what_is_installed_refuses(
    name: str, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("install", name) == ExitCode.ALLOW
    capsys.readouterr()
    assert command("doctor", name) == ExitCode.ALLOW
    assert f"{name}: `rm -rf /` is refused, in " in capsys.readouterr().out


def test_what_is_wrong_comes_with_a_remedy(
    home: Path, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("doctor", "claude") == ExitCode.ERROR
    assert "      execpolicy install claude\n" in capsys.readouterr().out
    command("install", "claude")
    program.write_text("#!/bin/sh\necho '{}'\n")
    assert command("doctor") == ExitCode.ERROR
    assert "`rm -rf /` is not refused" in capsys.readouterr().out
    program.unlink()
    assert command("doctor") == ExitCode.ERROR
    assert "there is no program" in capsys.readouterr().out
    settings = home / ".claude/settings.json"
    settings.write_text(settings.read_text().replace("{", '{"disableAllHooks": true,', 1))
    assert command("doctor") == ExitCode.ERROR
    assert "turns hooks off" in capsys.readouterr().out
    settings.write_text("{")
    assert command("doctor") == ExitCode.ERROR
    assert "the text ends too early" in capsys.readouterr().out


def test_codex_with_its_feature_off_is_found(
    home: Path, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command("install", "codex")
    (home / ".codex/config.toml").write_text("[features]\nhooks = false\n")
    assert command("doctor") == ExitCode.ERROR
    assert "turns hooks off" in capsys.readouterr().out


def test_broken_rules_are_found(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    user(home, "prefix_rule(")
    assert command("doctor") == ExitCode.ERROR
    assert "a.rules:1" in capsys.readouterr().out
    assert command("doctor", "emacs") == ExitCode.USAGE


def test_a_machine_without_hosts_is_well() -> None:
    assert command("doctor") == ExitCode.ALLOW
