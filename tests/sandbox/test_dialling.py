"""Questions about hosts while a command runs, on a real terminal."""

import os
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from execpolicy.sandbox.backends.streams.streams import Streams
from tests.proxy.support import Upstream
from tests.terminal import Screen, Terminal
from tests.waiting import HANG_SECONDS

if not os.path.exists("/usr/bin/python3"):
    pytest.skip("needs a Python of the system", allow_module_level=True)

ROOT = Path(__file__).parents[2]
CLIENT = """
import os, socket, sys, threading, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["HTTP_PROXY"])
def one(target, answers):
    with socket.create_connection((proxy.hostname, proxy.port), 100) as s:
        s.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n".encode())
        answers.append(s.recv(4000).split(b" ")[1].decode())
for turn in sys.argv[1:]:
    answers = []
    threads = [threading.Thread(target=one, args=(t, answers)) for t in turn.split(",")]
    [t.start() for t in threads]
    [t.join() for t in threads]
    print("got", *sorted(answers), "end")
"""
RULES = """
sandbox(auto_allow = True)
posture(confined = {"network": "allow", "execute": {"project": "allow", "generated": "allow"}})
network_rule("127.0.0.1", "https", "allow", ports = [1])
"""


class Shell(Terminal):
    """A session on a terminal, in which runs begin one after the other."""

    def __init__(self, project: Path) -> None:
        self.project = project
        kept = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        given = {"PATH": "/usr/bin:/bin", "HOME": str(project.parent), "TERM": "dumb", "PS1": ""}
        super().__init__(["/bin/sh"], project, {**kept, **given})

    def start(self, *words: str) -> None:
        """Begin a run; `done CODE` follows it."""
        argv = [sys.executable, "-m", "execpolicy", "run", "--confined", *words]
        quoted = " ".join(f"'{word}'" for word in argv)
        self.type(f"{quoted}; echo do''ne $?\n")

    def reach(self, *turns: str) -> None:
        self.start("--", "python3", "client.py", *turns)

    def answer(self, line: str) -> str:
        """Wait for a question and answer it; the question."""
        asked = self.until("or a reason against it:")
        self.type(f"{line}\n")
        return asked


@pytest.fixture
def shell(project: Path) -> Iterator[Shell]:
    (project / "client.py").write_text(CLIENT)
    home = project.parent / ".config/execpolicy/rules"
    home.mkdir(parents=True, mode=0o700)
    (home / "own.rules").write_text(RULES)
    with Shell(project) as shell:
        yield shell


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    upstream = Upstream()
    yield upstream
    upstream.close()


def test_once_is_for_all_who_wait_and_until_the_command_ends(
    shell: Shell, upstream: Upstream
) -> None:
    target = f"127.0.0.1:{upstream.port}"
    shell.reach(",".join([target] * 5), target)
    asked = shell.answer("y")
    assert f"wants to reach {target} through a tunnel" in asked
    assert "client.py" in asked
    assert f'network_rule("127.0.0.1", "https", "allow", ports = [{upstream.port}])' in asked
    assert "or a reason" not in shell.until("got 200 200 200 200 200 end")
    assert "or a reason" not in shell.until("got 200 end")
    shell.until("done 0")
    shell.reach(target)
    shell.answer("n")
    shell.until("got 403 end")
    shell.until("done")


def test_an_answer_for_the_session_holds_for_the_next_run_of_this_terminal_alone(
    shell: Shell, upstream: Upstream
) -> None:
    target = f"127.0.0.1:{upstream.port}"
    shell.reach(target)
    shell.answer("s")
    shell.until("got 200 end")
    shell.until("done 0")
    shell.reach(target)
    assert "or a reason" not in shell.until("got 200 end")
    with Shell(shell.project) as other:
        other.reach(target)
        other.answer("no")
        other.until("got 403 end")
    shell.until("done 0")
    shell.reach("127.0.0.1:2")
    shell.answer("no")  # another port is another question


def test_always_writes_a_rule_and_never_one_that_forbids(shell: Shell, upstream: Upstream) -> None:
    target = f"127.0.0.1:{upstream.port}"
    written = shell.project.parent / ".config/execpolicy/rules/default.rules"
    shell.reach(target)
    shell.answer("a")
    shell.until("got 200 end")
    line = f'network_rule("127.0.0.1", "https", "allow", ports = [{upstream.port}])'
    assert line in written.read_text()
    shell.until("done 0")
    shell.reach(target)
    assert "or a reason" not in shell.until("got 200 end")
    shell.until("done 0")
    shell.reach("tracker.invalid:443", "tracker.invalid:443")
    shell.answer("v")
    shell.until("got 403 end")
    assert 'network_rule("tracker.invalid", "https", "forbidden")' in written.read_text()
    assert "or a reason" not in shell.until("got 403 end")
    shell.until("done 0")


def test_a_refusal_holds_until_the_command_ends_and_gives_its_reason(shell: Shell) -> None:
    shell.reach("a.invalid:443", "a.invalid:443", "b.invalid:443")
    shell.answer("use the mirror")
    assert "or a reason" not in shell.until("got 403 end")
    assert "or a reason" not in shell.until("got 403 end")
    assert "b.invalid" in shell.answer("")
    shell.until("got 403 end")
    shell.until("done 0")


def test_what_a_command_has_shown_stands_above_a_question() -> None:
    outer, inner = os.openpty()
    streams = Streams((inner, inner, inner))
    os.write(streams.slave, b"shown before\n")
    streams.suspend()
    os.write(inner, b"question")
    assert Screen(outer).until("question") == "shown before\r\n"
    streams.close()
    os.close(streams.slave)
    os.close(outer)
    os.close(inner)


def test_what_is_typed_before_a_question_does_not_answer_it(shell: Shell) -> None:
    shell.start("-c", "echo rea''dy; read x; echo heard $x; python3 client.py a.invalid:443")
    shell.until("ready")
    shell.type("y\ny\ny\n")
    shell.until("heard y")
    shell.answer("n")
    shell.until("got 403 end")
    shell.until("done")


def test_the_command_has_its_terminal_back_after_a_question(shell: Shell) -> None:
    shell.start("-c", "python3 client.py a.invalid:443; read x; echo heard $x")
    shell.answer("n")
    shell.until("got 403 end")
    shell.type("something\n")
    shell.until("heard something")
    shell.until("done 0")
    settings = termios.tcgetattr(shell.descriptor)
    assert settings[3] & termios.ICANON
    assert settings[3] & termios.ECHO


def test_an_interrupt_while_a_question_is_open_ends_the_command(shell: Shell) -> None:
    shell.reach("a.invalid:443")
    shell.until("or a reason against it:")
    shell.type("\x03")
    shell.until("done 1")
    shell.reach("a.invalid:443")
    shell.answer("n")
    shell.until("got 403 end")
    shell.until("done")


def test_a_host_that_was_approved_with_the_command_is_not_asked_again(
    shell: Shell, upstream: Upstream
) -> None:
    rules = shell.project.parent / ".config/execpolicy/rules/own.rules"
    rules.write_text(RULES.replace("auto_allow = True", "").replace('"network": "allow", ', ""))
    target = f"127.0.0.1:{upstream.port}"
    if not os.path.exists("/usr/bin/curl"):
        pytest.skip("needs curl")
    shell.start("--", "curl", "-sSp", "--noproxy", "", f"http://{target}/")
    shell.until("or a reason against it]")
    shell.type("y\n")
    assert "wants to reach" not in shell.until("pong")
    shell.until("done 0")


def test_with_no_terminal_it_is_refused_and_said_how_to_allow_it(
    shell: Shell, upstream: Upstream
) -> None:
    given = {"PATH": "/usr/bin:/bin", "HOME": str(shell.project.parent)}
    argv = [sys.executable, "-m", "execpolicy", "run", "--confined", "--", "python3", "client.py"]
    done = subprocess.run(
        [*argv, f"127.0.0.1:{upstream.port}"], cwd=shell.project, env=given, capture_output=True,
        text=True, timeout=HANG_SECONDS, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.stdout == "got 403 end\n", done.stderr
    rule = f'network_rule("127.0.0.1", "https", "allow", ports = [{upstream.port}])'
    assert f"to allow it: execpolicy amend --rule '{rule}'" in done.stderr


def test_deferred_questions_come_after_the_command(shell: Shell, upstream: Upstream) -> None:
    target = f"127.0.0.1:{upstream.port}"
    settings = shell.project.parent / ".config/execpolicy/config.toml"
    settings.write_text('ask_hosts = "deferred"\n')
    shell.reach(target, target)
    assert "or a reason" not in shell.until("got 403 end")
    assert "or a reason" not in shell.until("got 403 end")
    asked = shell.answer("s")
    assert "[y]es" not in asked
    shell.until("done 0")
    shell.reach(target)
    assert "or a reason" not in shell.until("got 200 end")
    shell.until("done 0")
