"""A hook is started in the project of an agent: it loads no module that the project planted."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.engine.engine import Engine
from execpolicy.hosts.install import edit, hooks, host_file, start_words
from execpolicy.hosts.install.host import HOSTS
from execpolicy.model.errors import ExecPolicyError
from execpolicy.replay.batch.policy import BatchPolicy
from execpolicy.replay.batch.pool import DeciderPool
from execpolicy.support.resources import compiled, package_directory
from tests.store.support import write

PLANTED = ("json", "execpolicy/__init__", "execpolicy/__main__", "sitecustomize", "usercustomize")
ENTRY = os.path.join(package_directory(), "__main__.py")
CLIENT = compiled(start_words.CLIENT)
"""What asks a server first, and is a script where it could not be built."""
TELL = "import os\nopen(os.environ['PLANTED'], 'a').write(__file__ + '\\n')\n"
PAYLOAD = {
    "session_id": "s",
    "cwd": "/",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "rm -rf /"},
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project full of modules that tell of being loaded."""
    for name in PLANTED:
        write(tmp_path / f"project/{name}.py", TELL)
    monkeypatch.setenv("PLANTED", str(tmp_path / "loaded"))
    return tmp_path / "project"


@pytest.mark.parametrize(
    "variable",
    ["PYTHONPATH", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONHOME", "PYTHONEXECUTABLE"],
)
def test_the_installed_command_loads_nothing_of_the_project(
    variable: str, home: Path, project: Path, tmp_path: Path
) -> None:
    Engine.load()  # a hook that had to compile the rules would ask
    assert run(dispatch, ["install", "claude"]) == ExitCode.ALLOW
    line, *_ = edit.commands(HOSTS["claude"], edit.places(HOSTS["claude"], "user", "")[0])
    assert shlex.split(line) == [CLIENT, sys.executable, "-I", "-S", ENTRY, "hook", "claude"]
    value = {"PYTHONPATH": ".", "PYTHONSTARTUP": "json.py"}.get(variable, str(project))
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        input=json.dumps(PAYLOAD).encode(),
        capture_output=True,
        cwd=project,
        env={**os.environ, variable: value},
    )
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert not (tmp_path / "loaded").exists()


def test_without_it_the_project_would_be_loaded(project: Path, tmp_path: Path) -> None:
    """So the test above shows something."""
    command = [sys.executable, "-m", "execpolicy", "hook", "claude"]
    subprocess.run(command, input=b"", capture_output=True, cwd=project)
    assert (tmp_path / "loaded").read_text()


def test_processes_that_decide_load_nothing_of_the_project(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor where the user replays a log there."""
    monkeypatch.chdir(project)
    with DeciderPool(BatchPolicy(builtin=False), 1) as pool:
        assert len(pool.decide([("ls", "/")])) == 1
    assert not (tmp_path / "loaded").exists()


def test_the_words_are_those_of_this_very_package() -> None:
    words = start_words.command()
    assert words == (CLIENT, os.path.abspath(sys.executable), "-I", "-S", ENTRY)
    for each in (words, words[1:]):  # earlier versions wrote no client
        assert hooks.is_isolated(hooks.command_line(HOSTS["codex"], each))
    assert not hooks.is_isolated(hooks.command_line(HOSTS["codex"], (*words[:2], *words[3:])))


def found_with(options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """This package is found with these options of Python alone."""

    def package(_python: str, given: tuple[str, ...]) -> str:
        return os.path.realpath(package_directory()) if given == options else ""

    monkeypatch.setattr(start_words, "_package", package)


def test_a_package_of_the_user_s_own_is_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """`pip install --user` puts it where `-I` does not look."""
    found_with(("-E", "-P"), monkeypatch)
    words = start_words.command()
    assert words[2:] == ("-E", "-P", "-S", ENTRY)
    assert hooks.is_isolated(hooks.command_line(HOSTS["codex"], words))


def test_a_package_that_only_the_environment_names_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    found_with((), monkeypatch)
    with pytest.raises(ExecPolicyError, match="install it with pip"):
        start_words.command()
    assert run(dispatch, ["install", "claude"]) == ExitCode.ERROR
    assert "by its environment only" in capsys.readouterr().err
    assert not (home / ".claude").exists()


OLD = "/old/bin/execpolicy"


def old_entries(name: str, home: Path, count: int = 1) -> Path:
    """What an earlier version wrote."""
    host = HOSTS[name]
    path = Path(host_file.path(host, "user", str(home)))
    if host.plugin:
        text = start_words.plugin((OLD,)).replace(f'["{OLD}"]', f'"{OLD}"')
    else:
        text = hooks.installed(None, host, (OLD,))
        table = json.loads(text)
        for entry in host.entries:
            items = table
            for key in entry.path:
                items = items[key]
            items *= count
        text = json.dumps(table, indent=2)
    return write(path, text)


@pytest.mark.parametrize("name", HOSTS)
def test_an_entry_of_an_earlier_version_is_replaced(
    name: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = old_entries(name, home)
    assert run(dispatch, ["install", name]) == ExitCode.ALLOW
    text = path.read_text()
    assert OLD not in text
    commands = edit.commands(HOSTS[name], edit.places(HOSTS[name], "user", "")[0])
    assert len(commands) == max(1, len(HOSTS[name].entries))
    assert all(map(hooks.is_isolated, commands))
    assert run(dispatch, ["install", name]) == ExitCode.ALLOW
    assert "nothing to change" in capsys.readouterr().out
    assert path.read_text() == text


@pytest.mark.parametrize("name", HOSTS)
def test_an_entry_of_an_earlier_version_is_taken_out(name: str, home: Path) -> None:
    path = old_entries(name, home)
    assert run(dispatch, ["uninstall", name]) == ExitCode.ALLOW
    assert not path.exists()


@pytest.mark.parametrize("name", [n for n, host in HOSTS.items() if not host.plugin])
def test_entries_that_would_run_twice_become_one(name: str, home: Path) -> None:
    old_entries(name, home, 3)
    assert run(dispatch, ["install", name]) == ExitCode.ALLOW
    commands = edit.commands(HOSTS[name], edit.places(HOSTS[name], "user", "")[0])
    assert len(commands) == len(HOSTS[name].entries)


@pytest.mark.parametrize("name", ["claude", "opencode"])
def test_doctor_finds_an_entry_of_an_earlier_version(
    name: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old_entries(name, home)
    assert run(dispatch, ["doctor", name]) == ExitCode.ERROR
    out = capsys.readouterr().out
    assert "the entry loads modules that the project may name in PYTHONPATH" in out
    assert f"      execpolicy install {name}\n" in out


def test_a_host_s_file_that_is_a_pipe_is_no_text(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".claude").mkdir()
    os.mkfifo(home / ".claude/settings.json")
    for command in ("install", "uninstall", "doctor"):
        assert run(dispatch, [command, "claude"]) == ExitCode.ERROR
    assert "it is a pipe" in "".join(capsys.readouterr())
