"""A hook that waits for the answer: it gives it, or refuses before its host goes on without one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands import replying
from execpolicy.commands.pending_page import questions
from execpolicy.hosts.install import timeouts
from execpolicy.hosts.install.host import HOSTS
from execpolicy.model.approval import Life
from tests.approvals.test_left import project
from tests.store.support import write
from tests.waiting import HANG_SECONDS, Process, until

__all__ = ["project"]


WAITS = "wait_seconds = 500\n"


@pytest.fixture
def settings(home: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    dispatch(["install", "claude"])
    write(home / ".config/execpolicy/config.toml", WAITS)
    capsys.readouterr()
    return home / ".claude/settings.json"


def started(project: Path) -> Process:
    """The hook of a call that cannot be asked about."""
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "cwd": str(project),
        "permission_mode": "bypassPermissions",
        "tool_name": "Bash",
        "tool_input": {"command": "git push"},
    }
    words = [sys.executable, "-m", "execpolicy", "hook", "claude"]
    process = Process(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(json.dumps(payload).encode())
    process.stdin.close()
    process.stdin = None
    return process


@pytest.mark.parametrize(
    ("life", "because", "said"),
    [
        (Life.ONCE, None, '"permissionDecision": "allow"'),
        (Life.SESSION, None, '"permissionDecision": "allow"'),
        (Life.REJECT, "open a pull request", "open a pull request"),
    ],
)
def test_the_host_gets_the_answer(
    life: Life, because: str | None, said: str, settings: Path, project: Path
) -> None:
    settings.write_text(settings.read_text().replace(" 10", " 500"))
    with started(project) as hook:
        until(questions)
        replying.answer(questions()[0], life, feedback=because)
        assert said in hook.communicate(timeout=HANG_SECONDS)[0].decode()


def test_it_refuses_before_the_host_goes_on(settings: Path, project: Path) -> None:
    settings.write_text(settings.read_text().replace(" 10", " 4"))
    with started(project) as hook:
        said = hook.communicate(timeout=HANG_SECONDS)[0].decode()
    assert f"needs approval {questions()[0].code}" in said


@pytest.mark.parametrize(
    ("change", "seconds"),
    [
        ((" 10", " 4"), 4.0),
        ((" 10", " 100000"), 600.0),
        ((' 10', ' "10"'), 0.0),
        (('"timeout"', '"later"'), 0.0),
        (("hook claude", "hook claude --x"), 0.0),
        (("{", "{{"), 0.0),
    ],
)  # fmt: skip
def test_how_long_an_entry_lets_it_take(
    change: tuple[str, str], seconds: float, settings: Path
) -> None:
    assert timeouts.limit("claude", "") == 10.0
    settings.write_text(settings.read_text().replace(*change))
    assert timeouts.limit("claude", "") == seconds


@pytest.mark.parametrize("host", HOSTS)
def test_each_host_has_its_limit_or_is_not_waited_in(
    host: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dispatch(["install", host])
    capsys.readouterr()
    assert timeouts.limit(host, "") == (10.0 if HOSTS[host].longest else 0.0)


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("host", HOSTS)
def test_install_gives_the_hook_the_time_that_a_wait_needs(
    host: str, before: bool, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if before:
        dispatch(["install", host])
    write(home / ".config/execpolicy/config.toml", WAITS)
    dispatch(["install", host])
    assert timeouts.limit(host, "") == min(503.0, HOSTS[host].longest)
    capsys.readouterr()
    dispatch(["install", host])  # and says that no more is to be done
    assert capsys.readouterr().out.splitlines()[0].endswith("nothing to change")


@pytest.mark.parametrize("before", [False, True])
def test_so_it_does_in_toml(before: bool, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hooks = '# mine\n[[hooks.PreToolUse]]\nmatcher = "x"\n\n[[hooks.PreToolUse.hooks]]\n'
    write(home / ".codex/config.toml", hooks + 'type = "command"\ncommand = "y"\ntimeout = 5\n')
    if before:
        dispatch(["install", "codex"])
    write(home / ".config/execpolicy/config.toml", WAITS)
    dispatch(["install", "codex"])
    capsys.readouterr()
    text = (home / ".codex/config.toml").read_text()
    assert (text.count("timeout = 503"), text.count("timeout = 5\n")) == (3, 1)
    assert "# mine" in text


def test_a_longer_time_of_the_users_stays(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(settings.read_text().replace(" 10", " 590"))
    dispatch(["install", "claude"])
    capsys.readouterr()
    assert timeouts.limit("claude", "") == 590.0


def test_doctor_says_where_the_time_is_too_short(
    settings: Path, walls_hold: None, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "waits 7 of 500 seconds for an answer"
    dispatch(["doctor", "claude"])
    assert said in capsys.readouterr().out
    dispatch(["install", "claude"])
    dispatch(["doctor", "claude"])
    assert said not in capsys.readouterr().out


def test_the_strictest_entry_counts(settings: Path, project: Path) -> None:
    text = settings.read_text().replace(" 10", " 7")
    write(project / ".claude/settings.json", text)
    assert timeouts.limit("claude", str(project)) == 7.0


def test_where_the_limit_is_not_known_nothing_waits(home: Path, project: Path) -> None:
    write(home / ".config/execpolicy/config.toml", "wait_seconds = 500\n")
    with started(project) as hook:
        assert b"needs approval" in hook.communicate(timeout=HANG_SECONDS)[0]
