"""The programs that ask a server for a hook, as the client in Python, or start the hook: the one in
C, and the one in bash where that is not built."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import hatch_build
from execpolicy.hosts.install import start_words
from execpolicy.serve import sockets
from execpolicy.serve.client import MAX_ANSWER
from execpolicy.serve.standing_in import fields_of
from execpolicy.support import directories
from execpolicy.support.resources import compiled, package_directory
from execpolicy.support.version import PACKAGE
from tests.serve import serving
from tests.waiting import HANG_SECONDS, until

MAIN = os.path.join(package_directory(), "__main__.py")
INSTEAD = "import sys; data = sys.stdin.buffer.read(); print('instead', len(data), data[-9:])"
CALL = (
    b'{"session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",'
    b' "tool_input": {"command": "ls"}}'
)
FIELDS = "import json; from execpolicy.serve.inputs import gathered; print(json.dumps(gathered()))"


class Program:
    """One of the two."""

    def __init__(self, path: str, in_bash: bool) -> None:
        self.path, self.in_bash = path, in_bash

    @contextmanager
    def serving(self) -> Iterator[None]:
        """A server that this one asks, from its first answer on."""
        with serving.running(script=True) if self.in_bash else serving.process():
            until(lambda: asked(self).stdout != instead())
            yield


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program in bash, as the build writes it."""
    path = tmp_path_factory.mktemp("script") / "hook"
    path.write_text(hatch_build.hook_script())
    path.chmod(0o755)
    return str(path)


@pytest.fixture(params=["C", "bash"])
def program(request: pytest.FixtureRequest, script: str) -> Program:
    """Each in turn."""
    if request.param == "bash":
        return Program(script, True)
    path = compiled("hook")
    if not os.path.exists(path) or Path(path).read_bytes()[:4] != b"\x7fELF":
        pytest.skip("no C compiler built the hook's program")
    return Program(path, False)


def asked(
    program: Program, payload: bytes = CALL, *other: str, **more: str
) -> "subprocess.CompletedProcess[bytes]":
    """What the program says to a payload; in its place a Python that tells what it was given."""
    words = other or (sys.executable, "-I", "-S", "-c", INSTEAD)
    return subprocess.run(
        [program.path, *words, MAIN, "hook", "claude"],
        input=payload,
        capture_output=True,
        env={**os.environ, **more},
        timeout=HANG_SECONDS,
    )


def instead(payload: bytes = CALL) -> bytes:
    """What the other program says."""
    return f"instead {len(payload)} {payload[-9:]!r}\n".encode()


@contextmanager
def answering(
    program: Program, answer: bytes | None, word: str | None = None
) -> Iterator[list[dict[str, object]]]:
    """A server that gives one answer, or stays silent; the lines that it was sent."""
    sockets.prepare()
    lines: list[dict[str, object]] = []
    over = threading.Event()
    loopback = sockets.for_hooks() if program.in_bash else None
    path = sockets.loopback_file() if program.in_bash else directories.hook_socket()
    with loopback.listener if loopback else sockets.listen_at(path) as listener:

        def serve() -> None:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            head = b""
            with connection, connection.makefile("rb") as file:
                given = file.readline()
                if loopback:
                    given = given.removeprefix(f"{loopback.token} ".encode())
                    head = f"{word or loopback.word} {len(answer or b''):07}\n".encode()
                line = json.loads(given)
                if loopback:
                    line["client"] = fields_of(line["process"], line["version"])
                lines.append(line)
                if answer is None:
                    over.wait(HANG_SECONDS)
                else:
                    with suppress(ConnectionError):
                        connection.sendall(head + answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield lines
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)  # an accept that waits ends
            thread.join(HANG_SECONDS)
            sockets.remove(path)


ODD_VARIABLES = {
    "EXECPOLICY_X": 'a "quoted" \\ back\tslash\x01\n',
    "PYTHONPATH": package_directory() + "/..",
    "NAME_é": "é",
    "TMPDIR": "/tmp/ü",
    "SECRET_TOKEN": "not to be sent",
}


def test_it_sends_what_the_client_in_python_sends(program: Program) -> None:
    with answering(program, b"declined\n") as lines:
        asked(program, CALL, **ODD_VARIABLES)
    words = [sys.executable, "-c", FIELDS]
    own = subprocess.run(words, capture_output=True, env={**os.environ, **ODD_VARIABLES})
    wanted, sent = json.loads(own.stdout), lines[0]["client"]
    assert isinstance(sent, dict)
    for fields in (sent, wanted):
        fields["names"] = sorted(fields["names"])
    assert (lines[0]["hook"], lines[0]["payload"]) == ("claude", CALL.decode())
    assert sent == wanted
    assert "NAME_é" in wanted["names"]
    assert "not to be sent" not in str(lines)


def test_it_says_what_the_server_says(program: Program) -> None:
    with answering(program, f"execpolicy {PACKAGE} 2 3 5\nno\nwhy?\n".encode()):
        done = asked(program)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"no\n", b"why?\n")


HEAD = f"execpolicy {PACKAGE}"
ODD_ANSWERS = {
    "nothing": b"",
    "it declines": b"declined `cwd` was not sent\n",
    "of another version": b"execpolicy 0.0.0 0 2 0\nok",
    "cut off": f"{HEAD} 0 9 0\nok".encode(),
    "too long": f"{HEAD} 0 1 0\nok".encode(),
    "without numbers": f"{HEAD} 0 ok\nok".encode(),
    "a negative code": f"{HEAD} -1 2 0\nok".encode(),
    "a negative length": f"{HEAD} 0 3 -1\nok".encode(),
    "more words": f"{HEAD} 0 2 0 0\nok".encode(),
    "no end of the line": f"{HEAD} 0 0 0".encode(),
    "endless": f"{HEAD} 0 {MAX_ANSWER + 1} 0\n".encode() + b"x" * (MAX_ANSWER + 1),
    "a null byte": f"{HEAD} 0\0 2 0\nok".encode(),
    "silent": None,
}


@pytest.mark.parametrize("answer", ODD_ANSWERS)
def test_an_odd_answer_is_none(program: Program, answer: str) -> None:
    with answering(program, ODD_ANSWERS[answer]):
        done = asked(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, instead(), b"")


def test_an_answer_without_the_word_is_none(script: str) -> None:
    program = Program(script, True)
    with answering(program, f"{HEAD} 0 2 0\nok".encode(), word="x" * 22):
        assert asked(program).stdout == instead()


@pytest.mark.parametrize(("mode", "folder"), [(0o666, 0o700), (0o600, 0o755)])
def test_what_others_may_open_is_not_asked(program: Program, mode: int, folder: int) -> None:
    """bash cannot tell: the server does not answer it then."""
    with program.serving():
        path = sockets.loopback_file() if program.in_bash else directories.hook_socket()
        os.chmod(path, mode)
        os.chmod(os.path.dirname(path), folder)
        assert asked(program).stdout == instead()


def test_words_of_another_command_are_not_for_the_server(program: Program) -> None:
    words = [program.path, sys.executable, "-I", "-S", "-c", INSTEAD, MAIN, "check", "claude"]
    with answering(program, f"{HEAD} 0 2 0\nok".encode()) as lines:
        done = subprocess.run(words, input=CALL, capture_output=True, timeout=HANG_SECONDS)
    assert (done.stdout, lines) == (instead(), [])


def test_without_a_server_the_other_program_is_started(program: Program) -> None:
    assert asked(program).stdout == instead()
    sockets.prepare()
    for path in (directories.hook_socket(), sockets.loopback_file()):
        Path(path).write_text("no socket")
    assert asked(program).stdout == instead()


def test_a_server_that_ended_is_not_asked(script: str) -> None:
    """Another process may listen in its place, or have its number."""
    program = Program(script, True)
    with answering(program, f"{HEAD} 0 2 0\nok".encode()) as lines:
        path = Path(sockets.loopback_file())
        package, port, process, began, *secrets = path.read_text().split()
        for other in (("1", began), ("99999999", began), (process, str(int(began) + 1))):
            path.write_text(" ".join((package, port, *other, *secrets)) + "\n")
            assert asked(program).stdout == instead()
    assert lines == []


PAYLOADS = [b"", b"x" * 100_000, CALL + b" " * (16_384 - len(CALL)), CALL + b" " * (7 << 20)]


@pytest.mark.parametrize("payload", PAYLOADS, ids=len)
def test_the_other_program_reads_the_whole_payload(program: Program, payload: bytes) -> None:
    with answering(program, b"declined\n"):
        assert asked(program, payload).stdout == instead(payload)


def test_a_payload_with_a_null_byte_is_not_valid_without_it_either(script: str) -> None:
    """bash reads past it."""
    program = Program(script, True)
    with answering(program, f"{HEAD} 0 2 0\nok".encode()) as lines:
        done = asked(program, CALL[:-1] + b"\0}")
    assert (done.stdout, lines) == (instead(CALL + b"\0"), [])


@pytest.mark.parametrize("file", ["nothing", "statm"])
def test_where_the_kernel_counts_no_bytes_the_payload_is_left(
    script: str, tmp_path: Path, file: str
) -> None:
    path = tmp_path / "hook"
    path.write_text(Path(script).read_text().replace("/proc/self/io", f"/proc/self/{file}"))
    path.chmod(0o755)
    program = Program(str(path), True)
    with answering(program, f"{HEAD} 0 2 0\nok".encode()) as lines:
        assert asked(program).stdout == instead()
    assert lines == []


def test_a_payload_that_does_not_end_is_handed_on(program: Program) -> None:
    words = [program.path, sys.executable, "-I", "-S", "-c", INSTEAD, MAIN, "hook", "claude"]
    with (
        answering(program, b"declined\n") as lines,
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started,
    ):
        assert started.stdin is not None
        assert started.stdout is not None
        started.stdin.write(CALL)
        started.stdin.flush()
        assert started.stdout.read() == instead()
        with suppress(BrokenPipeError):
            started.stdin.close()
    assert lines == []


def test_where_nothing_can_be_started_the_call_is_refused(program: Program) -> None:
    done = asked(program, CALL, "/nothing/there")
    assert done.returncode == 2  # by which hosts refuse
    assert b"cannot start `/nothing/there`" in done.stderr


STEERING = {
    "BASH_FUNC_read%%": "() { echo steered; }",
    "BASH_FUNC_printf%%": "() { echo steered; }",
    "BASH_COMPAT": "3.2",
    "POSIXLY_CORRECT": "1",
    "FUNCNEST": "1",
    "LC_ALL": "POSIX",
    "TMOUT": "0",
    "GLOBIGNORE": "*",
    "_execpolicy_rest": "more",
    "REPLY": "steered",
    "line": "steered",
}
OWN = {"SHELLOPTS": "xtrace:noexec", "BASHOPTS": "nocasematch", "IFS": "execpolicy0123456789"}
"""What bash sets anew for all that it starts."""


@pytest.mark.parametrize("name", [*STEERING, *OWN])
def test_no_variable_steers_the_script(script: str, name: str) -> None:
    """Those that it cannot take back end in the other program, which has all as they were."""
    program, given = Program(script, True), {name: {**STEERING, **OWN}[name]}
    tells = f"import os; print(os.environ.get({name!r}), open(0).read(), end='')"
    words = (sys.executable, "-I", "-S", "-c", tells)
    with answering(program, f"{HEAD} 0 2 0\nok".encode()) as lines:
        served = asked(program, CALL, *words, **given)
    alone = asked(program, CALL, *words, **given)
    value, _, payload = alone.stdout.rpartition(b" " + CALL[:14])
    assert (CALL[:14] + payload, alone.stderr, served.stderr) == (CALL, b"", b"")
    assert name in OWN or name[0] == "_" or value.decode() == given[name]
    assert served.stdout == (b"ok" if lines else alone.stdout)


def test_no_variable_is_taken_for_the_payload(script: str) -> None:
    assert asked(Program(script, True), _execpolicy_payload="{}").stdout == instead()


def test_no_file_of_the_environment_is_run(script: str, tmp_path: Path) -> None:
    program, file = Program(script, True), tmp_path / "env"
    file.write_text("echo steered\n")
    assert asked(program, BASH_ENV=str(file), ENV=str(file)).stdout == instead()


def test_a_server_answers_it_as_the_hook_answers(program: Program, tmp_path: Path) -> None:
    calls = [
        {
            "session_id": "s",
            "cwd": str(tmp_path),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
        }
        for command in ("git status", "git push", "rm -rf /", "echo 'é\t\"'", "cat ~/.ssh/id_rsa")
    ]
    payloads = [*(json.dumps(call).encode() for call in calls), b"{", b"\xff"]
    hook = [sys.executable, "-I", MAIN, "hook", "claude"]
    with program.serving():
        answers = [asked(program, payload) for payload in payloads]
    own = [subprocess.run(hook, input=p, capture_output=True) for p in payloads]
    served = [(a.returncode, a.stdout) for a in answers]
    wanted = [(each.returncode, each.stdout) for each in own[:5]]
    assert served == [*wanted, *((0, instead(payload)) for payload in payloads[5:])]


def test_what_is_built_without_a_compiler_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server listens on loopback by itself where the script was built."""
    path = tmp_path / "hook"
    monkeypatch.setattr(hatch_build, "_build", lambda *_: False)
    assert not hatch_build._build_hook(str(path))
    assert (path.read_text(), os.access(path, os.X_OK)) == (hatch_build.hook_script(), True)
    for built in (False, True):
        with serving.running(port=None):
            assert os.path.exists(sockets.loopback_file()) is built
            assert not built or os.stat(sockets.loopback_file()).st_mode & 0o777 == 0o600
        monkeypatch.setattr(sockets, "compiled", lambda _: str(path))


def test_where_neither_is_built_a_script_starts_the_other_program(tmp_path: Path) -> None:
    script = tmp_path / "hook"
    script.write_text(hatch_build._NO_HOOK)
    script.chmod(0o755)
    words = [str(script), sys.executable, "-c", INSTEAD, MAIN, "hook", "claude"]
    assert subprocess.run(words, input=CALL, capture_output=True).stdout == instead()


def test_a_script_without_what_starts_it_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that misses the file would go on without an answer."""
    path = tmp_path / "hook"
    monkeypatch.setattr(start_words, "compiled", lambda _: str(path))
    assert start_words.asks_server() == ()
    for first, found in (("#!/nothing/there -p", ()), ("#!/bin/bash -p", (str(path),))):
        path.write_text(f"{first}\n")
        path.chmod(0o755)
        assert start_words.asks_server() == found
