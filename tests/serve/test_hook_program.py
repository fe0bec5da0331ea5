"""The program in C that asks a server for a hook, as the client in Python, or starts the hook."""

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

from execpolicy.serve import sockets
from execpolicy.serve.client import MAX_ANSWER
from execpolicy.support import directories
from execpolicy.support.resources import compiled, package_directory
from execpolicy.support.version import PACKAGE
from hatch_build import _NO_HOOK
from tests.serve import serving
from tests.waiting import HANG_SECONDS

PROGRAM = compiled("hook")
MAIN = os.path.join(package_directory(), "__main__.py")
INSTEAD = "import sys; data = sys.stdin.buffer.read(); print('instead', len(data), data[-9:])"
CALL = b'{"session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "ls"}}'
FIELDS = "import json; from execpolicy.serve.inputs import gathered; print(json.dumps(gathered()))"

pytestmark = pytest.mark.skipif(
    not os.path.exists(PROGRAM) or Path(PROGRAM).read_bytes()[:4] != b"\x7fELF",
    reason="no C compiler built the hook's program",
)


def asked(payload: bytes = CALL, *other: str, **more: str) -> "subprocess.CompletedProcess[bytes]":
    """What the program says to a payload; in its place a Python that tells what it was given."""
    words = other or (sys.executable, "-I", "-S", "-c", INSTEAD)
    return subprocess.run(
        [PROGRAM, *words, MAIN, "hook", "claude"],
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
    answer: bytes | None, mode: int = 0o600, folder: int = 0o700
) -> Iterator[list[bytes]]:
    """A server that gives one answer, or stays silent; the lines that it was sent."""
    sockets.prepare()
    path = directories.hook_socket()
    lines: list[bytes] = []
    over = threading.Event()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        os.chmod(path, mode)
        os.chmod(os.path.dirname(path), folder)
        listener.listen()

        def serve() -> None:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            with connection, connection.makefile("rb") as file:
                lines.append(file.readline())
                if answer is None:
                    over.wait(HANG_SECONDS)
                else:
                    connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield lines
        finally:
            over.set()
            listener.shutdown(socket.SHUT_RDWR)  # an accept that waits ends
            thread.join(HANG_SECONDS)
            os.unlink(path)


ODD_VARIABLES = {
    "EXECPOLICY_X": 'a "quoted" \\ back\tslash\x01\n',
    "PYTHONPATH": package_directory() + "/..",
    "NAME_é": "é",
    "TMPDIR": "/tmp/ü",
    "SECRET_TOKEN": "not to be sent",
}


def test_it_sends_what_the_client_in_python_sends() -> None:
    with answering(b"declined\n") as lines:
        asked(CALL, **ODD_VARIABLES)
    sent = json.loads(lines[0])
    words = [sys.executable, "-c", FIELDS]
    own = subprocess.run(words, capture_output=True, env={**os.environ, **ODD_VARIABLES})
    wanted = json.loads(own.stdout)
    for fields in (sent["client"], wanted):
        fields["names"] = sorted(fields["names"])
    assert (sent["hook"], sent["payload"]) == ("claude", CALL.decode())
    assert sent["client"] == wanted
    assert "NAME_é" in wanted["names"]
    assert b"not to be sent" not in lines[0]


def test_it_says_what_the_server_says() -> None:
    with answering(f"execpolicy {PACKAGE} 2 3 5\nno\nwhy?\n".encode()):
        done = asked()
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
def test_an_odd_answer_is_none(answer: str) -> None:
    with answering(ODD_ANSWERS[answer]):
        done = asked()
    assert (done.returncode, done.stdout) == (0, instead())


@pytest.mark.parametrize(("mode", "folder"), [(0o666, 0o700), (0o600, 0o755)])
def test_a_socket_that_others_may_open_is_not_asked(mode: int, folder: int) -> None:
    with answering(f"{HEAD} 0 2 0\nok".encode(), mode, folder) as lines:
        assert asked().stdout == instead()
    assert lines == []


def test_words_of_another_command_are_not_for_the_server() -> None:
    words = [PROGRAM, sys.executable, "-I", "-S", "-c", INSTEAD, MAIN, "check", "claude"]
    with answering(f"{HEAD} 0 2 0\nok".encode()) as lines:
        done = subprocess.run(words, input=CALL, capture_output=True, timeout=HANG_SECONDS)
    assert (done.stdout, lines) == (instead(), [])


def test_without_a_server_the_other_program_is_started() -> None:
    assert asked().stdout == instead()
    sockets.prepare()
    Path(directories.hook_socket()).write_text("no socket")
    assert asked().stdout == instead()


@pytest.mark.parametrize("payload", [b"", b"x" * 100_000, CALL + b" " * (7 << 20)])
def test_the_other_program_reads_the_whole_payload(payload: bytes) -> None:
    with answering(b"declined\n"):
        assert asked(payload).stdout == instead(payload)


def test_a_payload_that_does_not_end_is_handed_on() -> None:
    words = [PROGRAM, sys.executable, "-I", "-S", "-c", INSTEAD, MAIN, "hook", "claude"]
    with (
        answering(b"declined\n") as lines,
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


def test_where_nothing_can_be_started_the_call_is_refused() -> None:
    done = asked(CALL, "/nothing/there")
    assert done.returncode == 2  # by which hosts refuse
    assert b"cannot start `/nothing/there`" in done.stderr


def test_a_server_answers_it_as_the_hook_answers(tmp_path: Path) -> None:
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
    with serving.process():
        answers = [asked(payload) for payload in payloads]
    own = [subprocess.run(hook, input=p, capture_output=True) for p in payloads]
    served = [(a.returncode, a.stdout) for a in answers]
    wanted = [(each.returncode, each.stdout) for each in own[:5]]
    assert served == [*wanted, *((0, instead(payload)) for payload in payloads[5:])]


def test_where_none_is_built_a_script_starts_the_other_program(tmp_path: Path) -> None:
    script = tmp_path / "hook"
    script.write_text(_NO_HOOK)
    script.chmod(0o755)
    words = [str(script), sys.executable, "-c", INSTEAD, MAIN, "hook", "claude"]
    assert subprocess.run(words, input=CALL, capture_output=True).stdout == instead()
