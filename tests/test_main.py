"""The command line as a whole: what it lists, what it does not know, how it ends."""

import gc
import signal
import subprocess
import sys
from collections.abc import Sequence

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands import COMMANDS, CommandModule, named
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.model.errors import RequestError, UsageError
from execpolicy.support.version import PACKAGE
from tests.waiting import HANG_SECONDS


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(dispatch, ["--help"]) == ExitCode.ALLOW
    out = capsys.readouterr().out
    assert all(f"  {name} " in out and named(name).summary() in out for name in COMMANDS)


def test_commands_are_sorted_and_each_has_help_with_an_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert [*COMMANDS] == sorted(COMMANDS)
    for name in COMMANDS:
        assert run(dispatch, [name, "--help"]) == ExitCode.ALLOW, name
        out = capsys.readouterr().out
        assert f"usage: execpolicy {name}" in out
        assert "example" in out


def test_help_alone_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(dispatch, ["--help"]) == ExitCode.ALLOW
    listed = capsys.readouterr().out
    assert run(dispatch, ["help"]) == ExitCode.ALLOW
    assert capsys.readouterr().out == listed
    lines = [line.split()[0] for line in listed.splitlines() if line.startswith("  ")]
    assert lines == [*COMMANDS]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_its_own(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(dispatch, [name, "--help"]) == ExitCode.ALLOW
    own = capsys.readouterr().out
    assert run(dispatch, ["help", name]) == ExitCode.ALLOW
    assert capsys.readouterr().out == own
    assert own.startswith(f"usage: execpolicy {name}")
    assert max(map(len, own.splitlines())) <= 100


def test_nothing_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(dispatch, []) == ExitCode.USAGE
    assert "usage: execpolicy COMMAND" in capsys.readouterr().out


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(dispatch, ["--version"]) == ExitCode.ALLOW
    assert capsys.readouterr().out == f"execpolicy {PACKAGE}\n"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("chekc", "did you mean `check`?"),
        ("instal", "did you mean `install` or `uninstall`?"),
        ("zzz", "(`execpolicy help` lists them)"),
    ],
)
@pytest.mark.parametrize("before", [[], ["help"]])
def test_an_unknown_command(
    before: list[str], name: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dispatch, [*before, name]) == ExitCode.USAGE
    err = capsys.readouterr().err
    assert err.startswith(f"execpolicy: unknown command `{name}`")
    assert says in err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), ExitCode.USAGE),
        (UsageError("x", 2), ExitCode.FORBIDDEN),
        (RequestError("x"), ExitCode.ERROR),
        (OSError(2, "x"), ExitCode.ERROR),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
    ],
)
def test_exceptions_become_exit_codes_in_one_place(error: BaseException, code: int) -> None:
    def fails(_arguments: object) -> ExitCode:
        raise error

    assert run(fails, []) == code


def test_the_process_ends_with_the_code_and_all_its_output() -> None:
    command = [sys.executable, "-m", "execpolicy", "check", "--", "no-such-program"]
    done = subprocess.run(command, capture_output=True, timeout=HANG_SECONDS)
    assert done.returncode == ExitCode.PROMPT
    assert done.stdout.startswith(b"prompt: `no-such-program`")


def test_closed_streams_change_no_answer() -> None:
    shell = f"{sys.executable} -m execpolicy check -- no-such-program >&- 2>&-"
    assert subprocess.run(["sh", "-c", shell], timeout=HANG_SECONDS).returncode == ExitCode.PROMPT


def test_a_text_that_the_terminal_cannot_show_is_shown_escaped() -> None:
    command = [sys.executable, "-m", "execpolicy", "check", "-c", "ls \udcff"]
    done = subprocess.run(command, capture_output=True, timeout=HANG_SECONDS)
    assert done.returncode == ExitCode.PROMPT
    done.stdout.decode("utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_only_a_command_that_ends_at_once_is_without_the_collector(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`proxy` and `run` may last for days, and cycles of theirs would be kept."""
    seen = []

    def command(_arguments: Sequence[str]) -> int:
        seen.append(gc.isenabled())
        return 0

    monkeypatch.setattr(CommandModule, "load", lambda _self: command)
    gc.disable()
    try:
        dispatch([name])
    finally:
        gc.enable()
    assert seen == [name not in ("check", "hook")]


INTERRUPTED_IN_A_CALLBACK = """
import os, signal, weakref
from execpolicy.__main__ import main
from execpolicy.support import startup
class Thing:
    pass
def ahead(purpose):
    thing = Thing()
    kept = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT))
    del thing
startup.ahead = ahead
main()
"""


@pytest.mark.parametrize("words", ["check -- ls", "hook claude", "run -- true"])
def test_an_interrupt_is_never_lost(words: str) -> None:
    """Of an exception in a callback Python only tells, and goes on."""
    command = [sys.executable, "-c", INTERRUPTED_IN_A_CALLBACK, *words.split()]
    done = subprocess.run(command, input=b"{}", capture_output=True, timeout=HANG_SECONDS)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")
