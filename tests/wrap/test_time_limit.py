"""A command that takes long to decide about does not run, and its shim has an answer."""

import os
import subprocess
import sys

import pytest

from execpolicy.commands.wrap_command import OWN, Commands
from execpolicy.engine.engine import Engine
from execpolicy.hosts.agents import entries
from execpolicy.hosts.shell_calls import HostDirectories
from execpolicy.model.operation import Request
from execpolicy.wrap.protocol import CommandRequest
from execpolicy.wrap.session_snapshots import SessionSnapshots, ShellDefinitions
from execpolicy.wrap.shell_decision import ShellRequest, WrappedAgent
from tests.waiting import HANG_SECONDS
from tests.wrap.support import environment

PROGRAM = """
import os
import time
from execpolicy.commands import wrap_command
from execpolicy.engine.engine import Engine
from execpolicy.hosts.agents.entries import unknown
from execpolicy.hosts.shell_calls import HostDirectories
from execpolicy.model.errors import RequestError
from execpolicy.wrap.command_sandbox import Ends
from execpolicy.wrap.protocol import CommandRequest
from execpolicy.wrap.shell_decision import WrappedAgent

class Refusing(Engine):
    def anew(self):
        return self
    def decide(self, request, together=None):
        raise RequestError("no")

class Slow(Engine):
    def anew(self):
        return self
    def decide(self, request, together=None):
        try:
            while True:
                pass
        except BaseException:  # what is raised in the middle of a decision may be caught there
            return None

wrap_command.SECONDS = 0.2
agent = WrappedAgent(unknown("bash", (), ()), HostDirectories("", ""), None, "/")
request = CommandRequest("/usr/bin/touch", "/", ("touch", "x"), (("PATH", "/usr/bin"),), 18, ())
ends = Ends(-1, lambda: b"", lambda code: os.write(1, str(int(code)).encode()))
commands = wrap_command.Commands({engine}.load(rules=[]), None, os.getpid(), agent)
commands.execute(request, ends)
time.sleep(0.5)
os.write(1, b"it went on")
"""


def outcome(engine: str) -> "subprocess.CompletedProcess[bytes]":
    """What a process writes that decides by an engine."""
    text = PROGRAM.replace("{engine}", engine)
    words = [sys.executable, "-c", text]
    return subprocess.run(words, capture_output=True, env=environment(), timeout=HANG_SECONDS)


def test_deciding_has_a_time_limit() -> None:
    done = outcome("Slow")
    assert (done.returncode, done.stdout) == (0, b"123"), done.stderr
    assert b"the user has to be asked: it was not decided about within 0.2 s" in done.stderr


def test_the_limit_of_one_command_is_not_that_of_the_next() -> None:
    done = outcome("Refusing")
    assert done.stdout == b"it went on"
    assert b"it cannot be decided about: no" in done.stderr


AGENTS_OWN = {
    "HOME": "/p",
    "XDG_STATE_HOME": "/p/state",
    "EXECPOLICY_SCOPE": "/",
    "ANTHROPIC_API_KEY": "k",
    "https_proxy": "http://127.0.0.1:1",
}


def test_what_is_the_user_s_is_not_the_agent_s_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a shim says where the user's answers are, nor what a shell defined before."""
    for name in AGENTS_OWN:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/ann")
    snapshots = SessionSnapshots(lambda _path: None, "/nowhere")
    agent = WrappedAgent(entries.agent("claude"), HostDirectories("", ""), snapshots, "/")
    commands = Commands(Engine.load(rules=[]), None, os.getpid(), agent)  # type: ignore[arg-type]
    given = (*AGENTS_OWN.items(), ("LANG", "C"))
    defined = ShellDefinitions(variables=given)
    for request, asked in (
        (CommandRequest("/bin/ls", "/", ("ls",), given, 18, ()), ShellRequest(Request())),
        (
            CommandRequest("/bin/ls", "/", ("ls",), (), 18, ()),
            ShellRequest(Request(), None, defined),
        ),
    ):
        assert commands.environment(request, asked) == {"LANG": "C", **commands.of_user}
    assert commands.of_user == {"HOME": "/home/ann", **xdg()}


def xdg() -> dict[str, str]:
    """The directories of the test's own home."""
    return {name: os.environ[name] for name in OWN if name[:3] == "XDG" and name in os.environ}
