"""`execpolicy doctor` runs the installed line itself, and says what to type."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.hosts.install import codex, edit, start_words, toml
from execpolicy.hosts.install.host import HOSTS
from tests.store.support import user, write

pytestmark = pytest.mark.usefixtures("walls_hold")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python in front of this one, whose words are those of an installed one."""
    path = write(tmp_path / "bin/python3", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    path.chmod(0o755)
    monkeypatch.setattr(start_words, "command", lambda: (str(path), "-I", "-m", "execpolicy"))
    return path


def command(*arguments: str) -> int:
    return run(dispatch, list(arguments))


def trust_in_codex(home: Path, **more: object) -> None:
    """What Codex writes when the user trusts the hooks with `/hooks`."""
    host = HOSTS["codex"]
    for found in edit.places(host, "user", str(home)):
        for item in toml.items(edit.table(found), host):
            key = f"{found.file}:{codex._LABELS[item.event]}:{item.group}:{item.handler}"
            said = {"trusted_hash": codex.fingerprint(item), **more}
            lines = "".join(f"{k} = {json.dumps(v)}\n" for k, v in said.items())
            with open(home / ".codex/config.toml", "a") as file:
                file.write(f'\n[hooks.state."{key}"]\n{lines}')


@pytest.mark.parametrize("name", HOSTS)
def test_what_is_installed_refuses(
    name: str, home: Path, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("install", name) == ExitCode.ALLOW
    if name == "codex":
        trust_in_codex(home)
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


OTHERS = """\
[[hooks.PreToolUse]]
matcher = "^Bash$"

[[hooks.PreToolUse.hooks]]
type = "command"
command = "mine"
"""


def said_of_codex(capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    code = command("doctor", "codex")
    out = capsys.readouterr().out
    assert (code == ExitCode.ERROR) is ("WRONG" in out)
    return out


@pytest.mark.parametrize("text", ["", OTHERS], ids=["hooks.json", "config.toml"])
def test_codex_runs_a_hook_only_as_it_was_trusted(
    text: str, home: Path, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write(home / ".codex/config.toml", text)
    command("install", "codex")
    installed = config.read_text()
    assert "WRONG codex: codex does not run the hook before you trust it" in said_of_codex(capsys)
    trust_in_codex(home)
    assert "WRONG" not in said_of_codex(capsys)
    config.write_text(installed)
    trust_in_codex(home, enabled=False)
    assert "the hook is turned off" in said_of_codex(capsys)
    config.write_text(installed)
    trust_in_codex(home, trusted_hash="sha256:0")
    assert "another one than you trusted" in said_of_codex(capsys)


def test_codex_warns_where_hooks_stand_in_both_files(
    home: Path, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command("install", "codex")
    write(home / ".codex/config.toml", OTHERS)
    trust_in_codex(home)
    out = said_of_codex(capsys)
    assert "ok    codex: config.toml beside it has hooks, too" in out
    assert "execpolicy uninstall codex; execpolicy install codex" in out
    command("uninstall", "codex")
    command("install", "codex")
    write(home / ".codex/hooks.json", '{"hooks": {"PreToolUse": []}}')
    assert "has hooks, too" not in said_of_codex(capsys)


def test_codex_runs_no_hooks_of_a_directory_it_does_not_trust(
    home: Path,
    tmp_path: Path,
    program: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    command("install", "codex", "--scope", "project")
    assert "a directory that it does not trust" in said_of_codex(capsys)
    write(home / ".codex/config.toml", f'[projects."{tmp_path}"]\ntrust_level = "trusted"\n')
    assert "a directory that it does not trust" not in said_of_codex(capsys)


@pytest.mark.parametrize(
    ("requirements", "user", "says"),
    [
        ("[features]\nhooks = false", "[features]\nhooks = true", "a setting turns hooks off"),
        ("", "[features]\ncodex_hooks = false", "a setting turns hooks off"),
        ("allow_managed_hooks_only = true", "", "lets no hooks run but its own"),
    ],
)
def test_settings_that_keep_codex_from_running_hooks(
    requirements: str,
    user: str,
    says: str,
    home: Path,
    tmp_path: Path,
    program: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(codex, "REQUIREMENTS", str(write(tmp_path / "r.toml", requirements)))
    write(home / ".codex/config.toml", user)
    command("install", "codex")
    assert says in said_of_codex(capsys)


def test_a_hook_of_user_and_project_runs_twice(
    tmp_path: Path,
    program: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    command("install", "claude")
    command("install", "claude", "--scope", "project")
    assert command("doctor") == ExitCode.ERROR
    out = capsys.readouterr().out
    assert "runs twice\n      execpolicy uninstall claude --scope project\n" in out


def test_broken_rules_are_found(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    user(home, "prefix_rule(")
    assert command("doctor") == ExitCode.ERROR
    assert "a.rules:1" in capsys.readouterr().out
    assert command("doctor", "emacs") == ExitCode.USAGE


@pytest.mark.parametrize("found", ["directory", "program"])
def test_a_host_of_this_machine_without_the_hook_is_found(
    found: str,
    home: Path,
    program: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = {"gemini"} if found == "program" else set()
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/true" if name in here else None)
    if found == "directory":
        (home / ".gemini").mkdir()
    assert command("doctor") == ExitCode.ERROR
    out = capsys.readouterr().out
    assert "WRONG gemini: no hook: what it runs is not decided here\n" in out
    assert "      execpolicy install gemini\n" in out
    assert out.count("no hook") == 1
    assert command("doctor", "claude") == ExitCode.ERROR
    assert "gemini" not in capsys.readouterr().out
    assert command("install", "gemini", "--scope", "user") == ExitCode.ALLOW
    capsys.readouterr()
    assert command("doctor") == ExitCode.ALLOW


def test_a_hook_of_the_project_is_one(
    home: Path, tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.chdir(tmp_path)
    (home / ".claude").mkdir()
    assert command("doctor") == ExitCode.ERROR
    command("install", "claude", "--scope", "project")
    assert command("doctor") == ExitCode.ALLOW


def test_a_machine_without_hosts_is_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert command("doctor") == ExitCode.ALLOW


@pytest.mark.parametrize(
    ("name", "text", "version", "found"),
    [
        ("skills/a/SKILL.md", "!`ls`", "2.1.197 (Claude Code)", True),
        ("commands/deep/a.md", "see !`rm -rf ~`", "2.1.331", True),
        ("commands/a.md", "```!\nls\n```", "", True),
        ("skills/a/SKILL.md", "!`ls`", "2.1.332 (Claude Code)", False),
        ("skills/a/SKILL.md", "`ls`!", "2.1.197", False),
        ("agents/a.md", "!`ls`", "2.1.197", False),
        ("../lib/.claude/skills/b/SKILL.md", "!`ls`", "2.1.197", True),
        ("../node_modules/x/.claude/skills/b/SKILL.md", "!`ls`", "2.1.197", False),
    ],
)
def test_commands_that_run_before_the_hook_is_asked(
    name: str,
    text: str,
    version: str,
    found: bool,
    home: Path,
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In skills and slash commands of the project, for a Claude Code that has no event for them."""
    claude = write(tmp_path / "bin/claude", f"#!/bin/sh\necho '{version}'\n")
    claude.chmod(0o755)
    monkeypatch.setenv("PATH", f"{claude.parent}:/usr/bin:/bin")
    write(tmp_path / "p/.claude" / name, text)
    monkeypatch.chdir(tmp_path / "p")
    command("install", "claude")
    capsys.readouterr()
    assert command("doctor", "claude") == (ExitCode.ERROR if found else ExitCode.ALLOW)
    assert (name.removeprefix("../") in capsys.readouterr().out) is found
