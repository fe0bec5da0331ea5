"""`execpolicy install` and `uninstall`, on the files of a home directory."""

import json
import os
import shutil
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.hosts.install import host_file, start_words
from execpolicy.hosts.install.host import ALL, FORMER, HOSTS

WORDS = ("/opt/bin/python3", "-I", "-m", "execpolicy")
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
    monkeypatch.setattr(start_words, "command", lambda: WORDS)
    monkeypatch.setattr(shutil, "which", lambda name: None)  # whatever hosts this machine has


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
    assert '"command": "/opt/bin/python3 -I -m execpolicy hook claude"' in text
    assert (path.parent / "settings.json.before-execpolicy").read_text() == SETTINGS
    before = path.stat()
    assert command("install", "claude") == ExitCode.ALLOW
    assert path.read_text() == text
    assert path.stat().st_ino == before.st_ino
    assert command("uninstall", "claude") == ExitCode.ALLOW
    assert path.read_text() == SETTINGS
    assert os.listdir(path.parent) == ["settings.json"]


@pytest.mark.parametrize("name", HOSTS)
def test_a_new_file_is_made_and_taken_away(name: str, home: Path) -> None:
    assert command("install", name) == ExitCode.ALLOW
    path = Path(host_file.path(HOSTS[name], "user", str(home)))
    assert "/opt/bin/python3" in path.read_text()
    assert path.stat().st_mode & 0o077 == 0
    assert command("uninstall", name) == ExitCode.ALLOW
    assert not path.exists()


def test_a_dry_run_shows_and_writes_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = settings(home)
    assert command("install", "claude", "--dry-run") == ExitCode.ALLOW
    assert path.read_text() == SETTINGS
    assert os.listdir(path.parent) == ["settings.json"]
    out = capsys.readouterr().out
    assert '+            "command": "/opt/bin/python3 -I -m execpolicy hook claude"' in out
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


OTHERS = """\
model = "x"  # mine

[[hooks.PreToolUse]]
matcher = "^Bash$"

[[hooks.PreToolUse.hooks]]
type = "command"
command = "mine"

[hooks.state."k"]
trusted_hash = "sha256:1"
"""
STATE = '[hooks.state."k"]\ntrusted_hash = "sha256:1"\n'


def codex_files(home: Path, config: str | None, hooks: str | None = None) -> tuple[Path, Path]:
    folder = home / ".codex"
    folder.mkdir()
    for name, text in (("config.toml", config), ("hooks.json", hooks)):
        if text is not None:
            (folder / name).write_text(text)
    return folder / "config.toml", folder / "hooks.json"


def test_codex_gets_the_entry_where_the_person_keeps_hooks(home: Path) -> None:
    config, hooks = codex_files(home, OTHERS)
    assert command("install", "codex") == ExitCode.ALLOW
    text = config.read_text()
    assert text.startswith(OTHERS)
    assert text.count('command = "/opt/bin/python3 -I -m execpolicy hook codex"') == 3
    assert not hooks.exists()
    assert (home / ".codex/config.toml.before-execpolicy").read_text() == OTHERS
    before = config.stat()
    assert command("install", "codex") == ExitCode.ALLOW
    assert config.stat().st_ino == before.st_ino
    assert command("uninstall", "codex") == ExitCode.ALLOW
    assert config.read_text() == OTHERS
    assert not hooks.exists()


@pytest.mark.parametrize("behind", [True, False])
def test_hooks_behind_ours_are_to_be_trusted_again(
    behind: bool, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, _ = codex_files(home, "" if behind else OTHERS)
    if behind:
        config.write_text(STATE)
        command("install", "codex")
        other = {"hooks": [{"type": "command", "command": "mine"}]}
        hooks = home / ".codex/hooks.json"
        lists = json.loads(hooks.read_text())
        lists["hooks"]["PreToolUse"].append(other)
        hooks.write_text(json.dumps(lists))
    else:
        command("install", "codex")
    assert command("uninstall", "codex") == ExitCode.ALLOW
    assert ("hooks after ours have to be trusted again" in capsys.readouterr().out) is behind


@pytest.mark.parametrize("config", [None, "", "model = 1\n", STATE, "[hooks]\nStop = []\n"])
def test_codex_without_hooks_in_its_settings_gets_a_file(config: str | None, home: Path) -> None:
    settings, hooks = codex_files(home, config)
    assert command("install", "codex") == ExitCode.ALLOW
    assert "execpolicy hook codex" in hooks.read_text()
    assert (settings.read_text() if settings.exists() else None) == config


def test_codex_keeps_the_entry_where_it_was_trusted(home: Path) -> None:
    config, hooks = codex_files(home, None)
    command("install", "codex")
    config.write_text(OTHERS)
    text = hooks.read_text()
    assert command("install", "codex") == ExitCode.ALLOW
    assert hooks.read_text() == text
    assert config.read_text() == OTHERS


def test_codex_never_has_the_entry_twice(home: Path) -> None:
    config, hooks = codex_files(home, OTHERS)
    command("install", "codex")
    ours = config.read_text()
    config.write_text("")
    command("install", "codex")
    assert hooks.exists()
    config.write_text(ours)
    assert command("install", "codex") == ExitCode.ALLOW
    assert config.read_text() == ours
    assert not hooks.exists()


@pytest.mark.parametrize(
    "text", ["[hooks", "hooks = 1\nhooks = 2\n", "\ufeff[[hooks.PreToolUse]\n"]
)
def test_codex_settings_that_are_not_understood_are_left_as_they_are(
    text: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, hooks = codex_files(home, text)
    for name in ("install", "uninstall"):
        assert command(name, "codex") == ExitCode.ERROR
        assert "config.toml` is left as it is: " in capsys.readouterr().err
    assert config.read_text() == text
    assert not hooks.exists()


def test_who_wants_refusals_gets_them_where_the_hook_fails(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXECPOLICY_UNDECIDED", "deny")
    assert command("install", "claude", "cursor") == ExitCode.ALLOW
    assert '"onFailure": "block"' in (home / ".claude/settings.json").read_text()
    assert '"failClosed": true' in (home / ".cursor/hooks.json").read_text()


OURS = '{"hooks": {"PreToolUse": [{"hooks": [{"command": "/x/execpolicy hook claude"}]}]}}'


@pytest.mark.parametrize(
    ("kept", "left", "needed"),
    [
        ("{}", "{}", False),
        (SETTINGS, SETTINGS, False),
        ('{"a": 1, "b": 2}', '{"b": 2,\n "a": 1}', False),
        (OURS, "{}", False),
        (OURS, None, False),
        ('{"a": 1}', '{"a": 2}', True),
        ('{"a": 1}', None, True),
        ('{// why\n"a": 1}', '{"a": 1}', True),
        ("{", "{}", True),
    ],
)
def test_a_copy_goes_unless_it_holds_what_the_file_does_not(
    kept: str, left: str | None, needed: bool, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = settings(home, left or "")
    if left is None:
        path.unlink()
    copy = path.with_name("settings.json.before-execpolicy")
    copy.write_text(kept)
    assert command("uninstall", "claude", "--dry-run") == ExitCode.ALLOW
    assert copy.read_text() == kept
    assert ("would be removed" in capsys.readouterr().out) is not needed
    assert command("uninstall", "claude") == ExitCode.ALLOW
    assert copy.exists() is needed
    assert ("stays: it is not what the file holds now" in capsys.readouterr().out) is needed


def test_a_copy_of_our_own_plugin_goes(home: Path) -> None:
    assert command("install", "opencode") == ExitCode.ALLOW
    path = Path(host_file.path(HOSTS["opencode"], "user", str(home)))
    path.write_text(path.read_text() + "// an older one\n")
    assert command("install", "opencode") == ExitCode.ALLOW
    assert len(os.listdir(path.parent)) == 2
    assert command("uninstall", "opencode") == ExitCode.ALLOW
    assert os.listdir(path.parent) == []


def test_a_copy_that_is_a_link_is_not_ours(home: Path) -> None:
    path = settings(home, "{}")
    copy = path.with_name("settings.json.before-execpolicy")
    copy.symlink_to(path)
    assert command("uninstall", "claude") == ExitCode.ALLOW
    assert copy.is_symlink()


def test_copies_of_both_files_of_codex_go(home: Path) -> None:
    config, hooks = codex_files(home, OTHERS, '{"hooks": {}}')
    for path in (config, hooks):
        path.with_name(f"{path.name}.before-execpolicy").write_text(path.read_text())
    assert command("install", "codex") == ExitCode.ALLOW
    assert command("uninstall", "codex") == ExitCode.ALLOW
    assert not [name for name in os.listdir(home / ".codex") if name.endswith(host_file.BACKUP)]


def test_every_host_of_the_machine(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = settings(home)
    (home / ".cursor").mkdir()
    (home / ".codeium/windsurf").mkdir(parents=True)
    assert command("install", "--all") == ExitCode.ALLOW
    out = capsys.readouterr().out
    said = [line.partition(":")[0] for line in out.splitlines() if ": written" in line]
    assert said == ["claude", "cursor", "windsurf"]
    assert not (home / ".gemini").exists()
    assert command("install", "--all") == ExitCode.ALLOW
    out = capsys.readouterr().out
    assert out.count(": nothing to change") == 3
    assert "next:" not in out
    assert command("uninstall", "--all") == ExitCode.ALLOW
    assert path.read_text() == SETTINGS
    assert os.listdir(home / ".cursor") == []
    assert command("uninstall", "--all") == ExitCode.ALLOW
    assert "no host has the hook: nothing is done\n" in capsys.readouterr().out


def test_one_that_fails_does_not_keep_the_others_from_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = settings(home, '{"a": "execpolicy"')
    (home / ".cursor").mkdir()
    assert command("install", "--all") == ExitCode.ERROR
    captured = capsys.readouterr()
    assert captured.err.startswith(f"execpolicy: claude: `{path}` is left as it is: ")
    assert "next: execpolicy doctor cursor  #" in captured.out
    assert "execpolicy hook cursor" in (home / ".cursor/hooks.json").read_text()
    assert command("uninstall", "--all") == ExitCode.ERROR
    assert "settings.json` is left as it is" in capsys.readouterr().err
    assert os.listdir(home / ".cursor") == []


def test_a_host_in_path_is_on_the_machine(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/qwen" if name == "qwen" else None)
    assert command("install", "--all") == ExitCode.ALLOW
    assert [p.name for p in home.iterdir()] == [".qwen"]


def test_a_machine_without_hosts(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("install", "--all") == ExitCode.ALLOW
    assert capsys.readouterr().out == (
        "no host of an agent was found on this machine: nothing is done\n"
    )


LISTED = '{"permissions": {"allow": ["Bash(npm test)"]}}'


@pytest.mark.parametrize(
    ("listed", "rules", "steps"),
    [
        ("{}", None, ["doctor claude", "init"]),
        (LISTED, None, ["doctor claude", "import claude", "init"]),
        (LISTED, "mine.rules", ["doctor claude", "import claude"]),
        (LISTED, "imported-claude.rules", ["doctor claude"]),
    ],
)
def test_what_comes_next(
    listed: str,
    rules: str | None,
    steps: list[str],
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings(home, listed)
    if rules:
        folder = home / ".config/execpolicy/rules"
        folder.mkdir(parents=True)
        (folder / rules).touch()
    assert command("install", "claude", "--dry-run") == ExitCode.ALLOW
    assert "next:" not in capsys.readouterr().out
    assert command("install", "claude") == ExitCode.ALLOW
    lines = [x.partition("  #")[0] for x in capsys.readouterr().out.splitlines() if "next: " in x]
    assert lines[0].startswith("next: restart sessions of claude that run")
    assert lines[1:] == [f"next: execpolicy {step}" for step in steps]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "no host: use one of antigravity"),
        (["emacs"], "unknown host `emacs`"),
        (["claude", "--scope", "world"], "unknown scope `world`: use user or project"),
        (["claude", "--force"], "unknown option `--force`"),
        (["claude", "--all"], "name hosts or give `--all`, one of them"),
    ],
)
@pytest.mark.parametrize("name", ["install", "uninstall"])
def test_usage_errors_are_64(
    name: str, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(name, *arguments) == ExitCode.USAGE
    assert says in capsys.readouterr().err


FORMER_LISTS = sorted(FORMER)


@pytest.mark.parametrize("former", FORMER_LISTS)
def test_a_list_of_tools_that_an_earlier_version_wrote_becomes_all(home: Path, former: str) -> None:
    """A list of the user's own stays, and so does one that other hooks share."""
    command("install", "claude")
    file = home / ".claude/settings.json"
    now = file.read_text()
    for matcher in (former, "Bash"):
        file.write_text(now.replace(json.dumps(ALL), json.dumps(matcher)))
        before = file.read_text()
        command("install", "claude")
        assert file.read_text() == (now if matcher == former else before)
    shared = json.loads(now)
    group = shared["hooks"]["PreToolUse"][0]
    group["matcher"] = former
    group["hooks"].append({"type": "command", "command": "mine"})
    file.write_text(json.dumps(shared))
    command("install", "claude")
    assert json.loads(file.read_text()) == shared


def test_in_toml_too(home: Path) -> None:
    config, _ = codex_files(home, OTHERS)
    command("install", "codex")
    now = config.read_text()
    config.write_text(now.replace(json.dumps(ALL), json.dumps(FORMER_LISTS[-1])))
    command("install", "codex")
    assert config.read_text() == now


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("", ["sandbox `read-only`", "policy `on-request`", "what its sandbox holds runs there"]),
        ('sandbox_mode = "workspace-write"\n', ["sandbox `workspace-write` (as configured)"]),
        ("approval_policy = { granular = { rules = true } }\n", ["approval policy `granular`"]),
        ('[projects."$HERE"]\ntrust_level = "trusted"\n', ["sandbox `workspace-write`"]),
        (
            'sandbox_mode = "danger-full-access"\n',
            ["nothing holds what it runs", 'write `sandbox_mode = "workspace-write"` into'],
        ),
        (
            'profile = "p"\n[profiles.p]\napproval_policy = "never"\n',
            ["the user is not asked", 'write `approval_policy = "on-request"` into'],
        ),
        ('approval_policy = "untrusted"\n', ["codex 0.171 ends with this policy"]),
    ],
)
def test_install_says_what_codex_does_with_a_question(
    config: str,
    said: list[str],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    codex_files(home, config.replace("$HERE", str(here)))
    assert command("install", "codex") == ExitCode.ALLOW
    out = capsys.readouterr().out
    assert [each for each in said if each not in out] == []


def test_a_launcher_starts_a_host_in_a_session(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = home / "real/claude"
    real.parent.mkdir()
    real.write_text("#!/bin/sh\n")
    real.chmod(0o755)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(real.parent))
    made = home / ".local/share/execpolicy/bin/claude"
    assert command("install", "--wrap", "claude") == ExitCode.ALLOW
    assert f'export PATH="{made.parent}:$PATH"' in capsys.readouterr().out
    monkeypatch.setenv("PATH", f"{made.parent}:{real.parent}")
    assert command("install", "--wrap", "claude") == ExitCode.ALLOW
    assert "nothing to change" in capsys.readouterr().out
    assert f'\nexec /opt/bin/python3 -I -m execpolicy wrap -- {real} "$@"\n' in made.read_text()
    assert os.access(made, os.X_OK)
    assert command("uninstall", "claude") == ExitCode.ALLOW
    assert not made.exists()
    made.write_text("mine")
    assert command("install", "--wrap", "claude") == ExitCode.ERROR
    assert command("uninstall", "--all") == ExitCode.ALLOW
    assert made.read_text() == "mine"


@pytest.mark.parametrize("words", [["windsurf"], ["codex"]])
def test_what_is_not_known_or_not_there_gets_no_launcher(home: Path, words: list[str]) -> None:
    assert command("install", "--wrap", *words) == ExitCode.ERROR
