"""What is not a wall is as without a sandbox: each case runs outside and inside, with one result.

`run` is a wrapper: standard streams in every state, exit codes, signals and jobs are the command's.
"""

import fcntl
import itertools
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from execpolicy.sandbox.backends import process_tree
from execpolicy.support.record import Value
from tests.sandbox.test_run import ROOT, command
from tests.terminal import Terminal
from tests.waiting import HANG_SECONDS, Process, until

DATA = bytes(range(256)) * 300
"""More than a pipe holds."""

COMMANDS = {
    "copies": "cat",
    "reads a part": "head -c 10",
    "reads a line": "read -r line; echo $line",
    "reads nothing": "echo out; echo err >&2; exit 3",
    "reads all, then writes": "cat >/dev/null; echo late; echo err >&2",
    "writes to both": "cat >&2; echo out",
    "writes much": "head -c 300000 /dev/zero; exit 4",
    "writes without end": "exec yes",
    "closes its input": "exec <&-; echo done",
    "closes its output": "exec >&-; echo err >&2",
    "is killed": "kill -KILL $$",
    "looks for terminals": "for n in 0 1 2; do test -t $n && echo yes; done; true",
}
INPUTS = (
    "null",
    "closed",
    "file",
    "empty",
    "write-only",
    "pipe",
    "gone",
    "socket",
    "half",
    "tcp",
    "zero",
)
OUTPUTS = (
    "null",
    "closed",
    "file",
    "append",
    "both",
    "read-only",
    "full",
    "pipe",
    "dead",
    "socket",
    "tcp",
)
ENDLESS = {"null", "file", "append", "both", "pipe", "socket", "tcp"}
"""What takes all that a command without end writes."""
UNUSABLE = {"closed", "read-only", "write-only"}
Case = tuple[str, str, str, str]


class Seen(Value):
    """What came of a command: its exit code, its output, and how far it read its input."""

    code: int
    out: bytes
    err: bytes
    read: int


def given(kind: str, directory: Path, stack: ExitStack) -> int:
    """A descriptor to read from; -1 for a closed one."""
    if kind == "closed":
        return -1
    if kind in ("null", "zero"):
        return os.open(f"/dev/{kind}", os.O_RDONLY)
    if kind in ("file", "empty", "write-only"):
        path = directory / "in"
        path.write_bytes(b"" if kind == "empty" else DATA)
        return os.open(path, os.O_WRONLY if kind == "write-only" else os.O_RDONLY)
    read, write = os.pipe() if kind in ("pipe", "gone") else ends(kind)
    if kind == "half":
        with socket.socket(fileno=os.dup(write)) as end:
            end.shutdown(socket.SHUT_WR)
        stack.callback(os.close, write)
    else:
        data = b"" if kind == "gone" else DATA
        stack.callback(_started(lambda: _feed(write, data)).join)
    return read


def ends(kind: str) -> tuple[int, int]:
    """Both ends of a connection."""
    if kind != "tcp":
        one, other = socket.socketpair()
        return one.detach(), other.detach()
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        return client.detach(), server.accept()[0].detach()


def _feed(write: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(write, data) :]
    except OSError:
        pass
    finally:
        os.close(write)


class Taken:
    """A descriptor to write to, -1 for a closed one, and what was written."""

    def __init__(self, kind: str, path: Path) -> None:
        self._path, self._read, self._data = path, -1, bytearray()
        flags = {"file": os.O_WRONLY, "append": os.O_WRONLY | os.O_APPEND, "both": os.O_RDWR}
        if kind in ("null", "full"):
            self.fd = os.open(f"/dev/{kind}", os.O_WRONLY)
        elif kind in (*flags, "read-only"):
            path.write_bytes(b"" if kind == "file" else b"before")
            self.fd = os.open(path, flags.get(kind, os.O_RDONLY))
        elif kind == "closed":
            self.fd = -1
        else:
            self._read, self.fd = ends(kind) if kind in ("socket", "tcp") else os.pipe()
        self._thread = threading.Thread(target=self._collect) if self._read >= 0 else None
        if kind == "dead":
            os.close(self._read)
            self._thread = None
        elif self._thread:
            self._thread.start()

    def _collect(self) -> None:
        try:
            while data := os.read(self._read, 65536):
                self._data += data
        except ConnectionResetError:
            pass
        os.close(self._read)

    def all(self) -> bytes:
        """What was written, once every writer has ended."""
        if self._thread:
            self._thread.join(HANG_SECONDS)
            return bytes(self._data)
        return self._path.read_bytes() if self._path.exists() else b""


def _started(target: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=target)
    thread.start()
    return thread


def seen(words: list[str], case: Case, directory: Path) -> Seen:
    """Run words with these streams; none may leak into the process but 0 to 2."""
    directory.mkdir()
    with ExitStack() as stack:
        source = given(case[0], directory, stack)
        out, err = (Taken(case[n], directory / f"{n}") for n in (1, 2))
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 50) if fd >= 0 else -1
                for fd in (source, out.fd, err.fd)]  # fmt: skip
        for fd in {source, out.fd, err.fd} - {-1}:
            os.close(fd)

        def settle() -> None:
            for number, fd in enumerate(high):
                os.close(number) if fd < 0 else os.dup2(fd, number)

        # Python keeps descriptor 2 for its own message, so the streams are set in the child.
        with Process(words, cwd=directory, preexec_fn=settle) as process:
            for fd in high[1:]:
                os.close(fd) if fd >= 0 else None
            if case[0] != "file" and source >= 0:
                os.close(high[0])
            code = process.wait(HANG_SECONDS)
        read = os.lseek(high[0], 0, os.SEEK_CUR) if case[0] == "file" else 0
        if case[0] == "file":
            os.close(high[0])
        return Seen(code if code >= 0 else 128 - code, out.all(), err.all(), read)


def cases() -> Iterator[Case]:
    """Every input and every output with every command that ends with it outside."""
    pairs = {(i, "pipe", "pipe") for i in INPUTS} | {("pipe", o, "file") for o in OUTPUTS}
    pairs |= {("pipe", "file", e) for e in OUTPUTS}
    for streams, what in itertools.product(sorted(pairs), COMMANDS):
        endless = what == "writes without end" and streams[1] in ENDLESS
        reads_all = what in ("copies", "reads all, then writes", "writes to both", "reads a line")
        if not endless and not (reads_all and streams[0] == "zero"):
            yield (*streams, what)


EVERY = list(cases())


@pytest.mark.parametrize("case", [
    pytest.param(case, marks=() if number % 37 == 0 else pytest.mark.slow, id=", ".join(case))
    for number, case in enumerate(EVERY)
])  # fmt: skip
def test_streams_as_without_a_sandbox(project: Path, base: Path, case: Case) -> None:
    words = ["bash", "-c", COMMANDS[case[3]]]
    outside = seen(words, case, base / "outside")
    inside = seen(command(project, "--", *words), case, base / "inside")
    if UNUSABLE.intersection(case):  # inside, closing what was closed is no further error
        inside, outside = (one.replace(err=one.err[:4]) for one in (inside, outside))
    assert inside == outside


def test_one_connection_for_both_directions(project: Path) -> None:
    """As inetd starts programs."""
    ours, theirs = (socket.socket(fileno=fd) for fd in ends("tcp"))
    fd = theirs.fileno()
    words = command(project, "-c", "while read -r line; do echo got:$line; done; echo end >&2")
    with ours, Process(words, cwd=ROOT, stdin=fd, stdout=fd, stderr=fd):
        theirs.close()
        with ours.makefile("rwb", buffering=0) as file:
            for line in (b"a", b"b"):
                file.write(line + b"\n")
                assert file.readline() == b"got:" + line + b"\n"
            ours.shutdown(socket.SHUT_WR)
            assert file.readline() == b"end\n"
            assert file.readline() == b""


PYTHON = "/usr/bin/python3"
LEADING_OUT = """
import os, socket, sys
for number in (0, 1):
    for family in (socket.AF_INET, socket.AF_UNIX):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
            try:
                end = socket.socket(family, kind, 0, number)
            except OSError:
                continue
            end.settimeout(1)
            port, path = sys.argv[1:]
            there = ("127.0.0.1", int(port)) if family == socket.AF_INET else path
            for way in (
                lambda: end.sendto(b"out", there),
                lambda: end.connect(there),
                lambda: end.send(b"out"),
                lambda: end.listen(),
            ):
                try:
                    way()
                    print(number, family, kind, "LEADS OUT", file=sys.stderr)
                except OSError:
                    pass
            end.detach()
"""
STREAM, DATAGRAM = socket.SOCK_STREAM, socket.SOCK_DGRAM
KINDS = {
    "not connected": (socket.AF_INET, STREAM, False),
    "datagrams": (socket.AF_INET, DATAGRAM, False),
    "datagrams of a peer": (socket.AF_INET, DATAGRAM, True),
    "unix": (socket.AF_UNIX, STREAM, False),
    "unix datagrams": (socket.AF_UNIX, DATAGRAM, False),
    "unix packets": (socket.AF_UNIX, socket.SOCK_SEQPACKET, False),
}


@pytest.mark.skipif(not Path(PYTHON).exists(), reason="NOT TESTED: no system Python")
@pytest.mark.parametrize("kind", KINDS)
def test_no_socket_of_the_caller_leads_out(project: Path, base: Path, kind: str) -> None:
    family, sort, connected = KINDS[kind]
    with (
        socket.socket(socket.AF_INET, DATAGRAM) as there,
        socket.socket(socket.AF_UNIX, DATAGRAM) as beside,
        socket.socket(family, sort) as given,
    ):
        there.bind(("127.0.0.1", 0))
        beside.bind(str(project / "beside"))
        if connected:
            given.connect(("127.0.0.1", 9))
        where = [str(there.getsockname()[1]), str(project / "beside")]
        words = command(project, "--", PYTHON, "-c", LEADING_OUT, *where)
        fd = given.fileno()
        done = subprocess.run(words, stdin=fd, stdout=fd, stderr=subprocess.PIPE, cwd=ROOT,
                              timeout=HANG_SECONDS)  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        for one in (there, beside):
            one.setblocking(False)
            with pytest.raises(BlockingIOError):
                one.recv(9)


WORDS = [
    ("a program that is not there", ["./nope"], 127),
    ("a directory", ["/usr"], 126),
    ("more words than bubblewrap takes", ["test", "-z", *[""] * 9500], 2),
]


@pytest.mark.parametrize(("what", "words", "code"), WORDS, ids=[one[0] for one in WORDS])
def test_exit_codes_of_a_shell(project: Path, what: str, words: list[str], code: int) -> None:
    done = subprocess.run(command(project, "--", *words), cwd=ROOT, capture_output=True)
    assert done.returncode == code, done.stderr


def test_words_of_any_number_and_any_bytes(project: Path) -> None:
    words = [b"", "\u00e9".encode(), b"a\nb", b"-n", *[b"x"] * 9500]
    asked = [*map(os.fsencode, command(project, "--", "printf", "%s|")), *words]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True)
    assert done.stdout == b"".join(b"%s|" % word for word in words), done.stderr


UNTOLD = [
    ("the status is not read", "{run} --status-fd 9 -c 'exit 3' 9>/dev/full", 3),
    ("what is told cannot be written", "{run} -- no-such-program 2>/dev/full", 127),
    ("nor what is wrong with the command line", "{run} 2>/dev/full", 64),
    ("nor with no standard error", "{run} -- no-such-program 2>&-", 127),
]


@pytest.mark.parametrize(("what", "text", "code"), UNTOLD, ids=[one[0] for one in UNTOLD])
def test_the_exit_code_stands_where_nothing_can_be_told(
    project: Path, what: str, text: str, code: int
) -> None:
    script = text.format(run=shlex.join(command(project)))
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, stdin=subprocess.DEVNULL)
    assert done.returncode == code


def test_output_that_a_file_does_not_take_is_no_success(project: Path) -> None:
    """As on a full disk: here a limit of the size of files that the command has not reached."""
    limit = 'ulimit -S -f 100; exec "$@" >> out'
    (project.parent / "out").write_bytes(bytes(100 * 1024))
    done = subprocess.run(["bash", "-c", limit, "bash", *command(project, "-c", "echo lost")],
                          cwd=project.parent, capture_output=True, text=True)  # fmt: skip
    assert (done.returncode, "not all output could be written" in done.stderr) == (1, True)


def test_a_loop_goes_on_with_what_a_run_did_not_read(project: Path) -> None:
    (project / "list").write_text("1\n2\n3\n")
    text = f"while read -r n; do {shlex.join(command(project))} -- echo $n; done < {project}/list"
    done = subprocess.run(["bash", "-c", text], cwd=ROOT, capture_output=True)
    assert done.stdout == b"1\n2\n3\n", done.stderr


def test_a_signal_of_the_command_s_own_is_its_alone(project: Path) -> None:
    inner = "trap 'kill $!; exit 7' USR1; sh -c 'echo begun; exec sleep 60' & wait; wait; exit 8"
    with Process(command(project, "-c", inner), stdout=subprocess.PIPE, cwd=ROOT,
                          stderr=subprocess.DEVNULL) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGUSR1)
        assert process.wait(HANG_SECONDS) == 7


def test_what_is_blocked_stays_blocked(project: Path) -> None:
    def block() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])

    words = ["grep", "SigBlk", "/proc/self/status"]
    outside, inside = (
        subprocess.run(each, preexec_fn=block, cwd=ROOT, capture_output=True).stdout
        for each in (words, command(project, "--", *words))
    )
    assert inside == outside


def test_a_caller_that_ignores_the_end_of_its_children_is_told_how_a_run_ended(
    project: Path,
) -> None:
    ignoring = "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    words = [sys.executable, "-c", f"{ignoring}; os.execv(sys.argv[1], sys.argv[1:])"]
    done = subprocess.run([*words, *command(project, "-c", "sh -c 'exit 4'; exit 5")], cwd=ROOT,
                          timeout=HANG_SECONDS)  # fmt: skip
    assert done.returncode == 5


def test_a_run_that_is_stopped_stops_the_command(project: Path) -> None:
    """As a job without a terminal: its shell has it stop, and go on."""
    inner = "echo begun; until test -e go; do sleep 0.02; date +%N > tick; done; exit 5"
    with Process(command(project, "-c", inner), stdout=subprocess.PIPE, cwd=ROOT,
                          process_group=0) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        until((project / "tick").exists)
        process.send_signal(signal.SIGTSTP)
        until(lambda: _state(process.pid) == "T")
        until(lambda: _are_stopped(process_tree._children(process.pid)[2:]))
        (project / "go").touch()
        process.send_signal(signal.SIGCONT)
        assert process.wait(HANG_SECONDS) == 5


def _are_stopped(processes: list[int]) -> bool:
    """Whether there are some, and none goes on; one that has ended meanwhile may stand there."""
    return bool(processes) and {*map(_state, processes)} <= {"T", "Z"}


def _state(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def at_a_shell(project: Path) -> Terminal:
    """An interactive shell in which `r` runs a command."""
    run = shlex.join(command(project, "--"))
    shell = Terminal(["bash", "--norc", "--noprofile", "-i"], ROOT, {**os.environ, "TERM": "dumb"})
    shell.type(f"PS1='P''> '; r() {{ {run} \"$@\"; }}; bind 'set enable-bracketed-paste off'\n")
    shell.until("P> ")
    return shell


def test_a_job_of_a_shell_is_stopped_and_goes_on(project: Path) -> None:
    with at_a_shell(project) as shell:
        shell.type(shlex.join(command(project, "-c", "echo beg''un; cat; exit 5")) + "\n")
        shell.until("begun")
        shell.type("\x1a")
        shell.until("Stopped")
        shell.until("P> ")
        shell.type("fg\n")
        shell.until("cat; exit 5")
        shell.type("typed\n")
        shell.until("typed\r\ntyped")
        shell.type("\x04")
        shell.until("P> ")
        shell.type("echo code=$?\n")
        shell.until("code=5")


def test_a_pipeline_keeps_the_terminal_s_line_ends_and_interrupts(project: Path) -> None:
    with at_a_shell(project) as shell:
        shell.type("r sh -c 'echo a; echo b; sleep 60' | sed 's/^/line-/;s/$/-e''nd/' -u\n")
        shell.until("line-b-end\r\n")
        shell.type("\x03")
        shell.until("P> ")
        shell.type("echo code=${PIPESTATUS[*]}\n")
        shell.until("code=130 130")


def test_what_runs_in_the_background_leaves_the_keyboard_to_the_shell(project: Path) -> None:
    with at_a_shell(project) as shell:
        shell.type(shlex.join(command(project, "-c", "until test -e go; do sleep 0.1; done")))
        shell.type(" &\n")
        shell.until("P> ")
        shell.type(f"jobs; touch {project}/go; wait %1; echo code=$?\n")
        assert "Running" in shell.until("code=0")


def test_keys_are_read_for_a_program_that_has_the_terminal_and_no_standard_input(
    project: Path,
) -> None:
    inner = "stty -icanon -echo < /dev/tty; echo rea''dy; read -rn1 k < /dev/tty; echo got:$k"
    with at_a_shell(project) as shell:
        shell.type(f"echo data | r bash -c {shlex.quote(inner)}\n")
        shell.until("ready\r\n")
        shell.type("x")
        shell.until("got:x")


def test_a_terminal_that_is_gone_ends_what_reads_it(project: Path) -> None:
    outer, inner = os.openpty()
    words = command(project, "-c", "echo begun >&2; cat")
    process = subprocess.Popen(words, cwd=ROOT, stdin=inner, stdout=inner, stderr=subprocess.PIPE,
                               start_new_session=True)  # fmt: skip
    os.close(inner)
    assert process.stderr is not None
    with process.stderr:
        process.stderr.readline()
        os.close(outer)
        assert process.wait(HANG_SECONDS) == 129
