"""`execpolicy install` and `uninstall`, on the files of a home directory."""

import json
import os
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.exit import ExitCode, run
from execpolicy.hosts import place
from execpolicy.hosts.host import HOSTS

SETTINGS = """\
{
  // mine
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      {"matcher": "Write", "hooks": [{"type": "command", "command": "fmt"}]}
    ]
  }
}
"""


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "program", lambda: "/opt/bin/execpolicy")


def command(*arguments: str) -> int:
    return run(dispatch, list(arguments))


def settings(home: Path, text: str = SETTINGS) -> Path:
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(text)
    return path


def test_the_rest_of_the_file_stays(home: Path) -> None:
    path = settings(home)
    assert command("install", "claude") == ExitCode.ALLOW
    text = path.read_text()
    assert text.startswith(SETTINGS[:100])
    assert '"command": "/opt/bin/execpolicy hook claude"' in text
    assert (path.parent / "settings.json.before-execpolicy").read_text() == SETTINGS
    before = path.stat()
    assert command("install", "claude") == ExitCode.ALLOW
    assert path.read_text() == text
    assert path.stat().st_ino == before.st_ino
    assert command("uninstall", "claude") == ExitCode.ALLOW
    assert path.read_text() == SETTINGS


@pytest.mark.parametrize("name", HOSTS)
def test_a_new_file_is_made_and_taken_away(name: str, home: Path) -> None:
    assert command("install", name) == ExitCode.ALLOW
    path = Path(place.path(HOSTS[name], "user", str(home)))
    assert "/opt/bin/execpolicy" in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    assert command("uninstall", name) == ExitCode.ALLOW
    assert not path.exists()


def test_a_dry_run_shows_and_writes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = settings(home)
    assert command("install", "claude", "--dry-run") == ExitCode.ALLOW
    assert path.read_text() == SETTINGS
    assert os.listdir(path.parent) == ["settings.json"]
    out = capsys.readouterr().out
    assert '+            "command": "/opt/bin/execpolicy hook claude"' in out
    assert "-" not in {line[:1] for line in out.splitlines() if not line.startswith("---")} - {"-"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "1:2: the text ends too early"),
        ("[]", "it is not a JSON object"),
        ('{"hooks": []}', "`hooks` is not what a host reads"),
        ('{"hooks": {"PreToolUse": {}}}', "`hooks.PreToolUse` is not what a host reads"),
    ],
)
def test_a_file_that_is_not_understood_is_left_as_it_is(
    text: str, says: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = settings(home, text)
    assert command("install", "codex", "claude") == ExitCode.ERROR
    assert f"is left as it is: {says}" in capsys.readouterr().err
    assert path.read_text() == text
    assert not (home / ".codex").exists()


def test_a_link_stays_a_link(home: Path, tmp_path: Path) -> None:
    path = settings(home)
    real = tmp_path / "dotfiles.json"
    path.rename(real)
    path.symlink_to(real)
    assert command("install", "claude") == ExitCode.ALLOW
    assert path.is_symlink()
    assert "execpolicy hook claude" in real.read_text()


def test_a_project_is_the_directory_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("install", "cursor", "--scope", "project") == ExitCode.ALLOW
    written = json.loads((tmp_path / ".cursor/hooks.json").read_text())
    assert written["version"] == 1
    assert written["hooks"]["beforeShellExecution"][0]["timeout"] == 10


def test_who_wants_refusals_gets_them_where_the_hook_fails(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXECPOLICY_UNDECIDED", "deny")
    assert command("install", "claude", "cursor") == ExitCode.ALLOW
    assert '"onFailure": "block"' in (home / ".claude/settings.json").read_text()
    assert '"failClosed": true' in (home / ".cursor/hooks.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "no host: use one of antigravity"),
        (["emacs"], "unknown host `emacs`"),
        (["claude", "--scope", "world"], "unknown scope `world`: use user or project"),
        (["claude", "--force"], "unknown option `--force`"),
    ],
)
@pytest.mark.parametrize("name", ["install", "uninstall"])
def test_usage_errors_are_64(
    name: str, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(name, *arguments) == ExitCode.USAGE
    assert says in capsys.readouterr().err
