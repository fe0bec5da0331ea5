"""What the agent's sandbox and those of its commands hold, tried from inside."""

import os
import re
import shutil
import signal
import subprocess
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from execpolicy.support.resources import compiled
from tests.agents import paper, real
from tests.waiting import HANG_SECONDS, Process, until
from tests.wrap import hosts
from tests.wrap.support import environment, words, wrapped

# A text that the agent runs as its own process, and what it may not show.
AGENT = [
    ("cp /bin/bash copied; ./copied -c 'echo RAN'", "RAN"),
    ("cp /bin/bash copied; /lib64/ld-linux-x86-64.so.2 ./copied -c 'echo RAN'", "RAN"),
    ("cp /bin/bash /tmp/copied; /tmp/copied -c 'echo RAN'", "RAN"),
    ("cp /bin/bash /tmp/copied; /lib64/ld-linux-x86-64.so.2 /tmp/copied -c 'echo RAN'", "RAN"),
    ("echo x > /dev/shm/x && echo '#!/dev/shm/x' > /dev/shm/y; /dev/shm/y && echo RAN", "RAN"),
    ("/usr/lib/git-core/git --version", "git version"),
    ("echo > ~/../a.rules && echo RAN", "RAN"),
    ("echo > .git/hooks/pre-commit && echo RAN", "RAN"),
    ("echo >> .git/config && echo RAN", "RAN"),
    ("echo > /etc/passwd2 && echo RAN", "RAN"),
    ("read -r line < ~/.ssh/id_test; echo $line", "SECRET"),
    (
        "for f in /proc/[0-9]*/environ; do while read -r -d '' x; do echo $x; done < $f; done",
        "SEEN",
    ),
    ("exec 3<>/dev/tcp/127.0.0.1/22 && echo RAN", "RAN"),
    ("exec 3<>/dev/tcp/192.0.2.1/80 && echo RAN", "RAN"),
    ("for f in ~/.local/state/execpolicy/*; do echo $f; done", "ledger"),
]


def prepared(home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh/id_test").write_text("SECRET\n")
    (home / ".local/state/execpolicy/ledger").mkdir(parents=True)


def test_what_the_agent_itself_is_kept_from(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(home)
    monkeypatch.setenv("CANARY_TOKEN", "SEEN")
    before = (project.parent / "a.rules").read_text(), (project / ".git/config").read_text()
    every = "\n".join(f"( {text}\n) 2>&1; echo @@" for text, _ in AGENT)
    shown = wrapped(project, every).stdout.decode().split("@@\n")
    assert len(shown) == len(AGENT) + 1
    held = [(text, canary in out) for (text, canary), out in zip(AGENT, shown, strict=False)]
    assert held == [(text, False) for text, _ in AGENT]
    assert before == (
        (project.parent / "a.rules").read_text(),
        (project / ".git/config").read_text(),
    )
    assert not (project / ".git/hooks/pre-commit").exists()


MEMORY = """
import ctypes, os
git = open("/usr/lib/git-core/git", "rb").read()
fd = -1
def attempt(name, what):
    child = os.fork()
    if not child:
        try:
            what()
        finally:
            os._exit(9)
    print(name, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
def memory():
    fd = os.memfd_create("x", 0)
    os.write(fd, git)
    return f"/proc/self/fd/{fd}"
def opened(path, *more):
    fd = os.open(path, os.O_RDONLY | sum(more))
    os.set_inheritable(fd, True)
    return f"/proc/self/fd/{fd}"
def unnamed():
    fd = os.open("/tmp", os.O_TMPFILE | os.O_RDWR, 0o700)
    os.write(fd, git)
    again = opened(f"/proc/self/fd/{fd}")
    os.close(fd)
    return again
def holds(data):
    fd = os.open("/tmp", os.O_TMPFILE | os.O_RDWR, 0o700)
    os.write(fd, data)
    os.set_inheritable(fd, True)
    return str(fd)
def none():  # a list of no calls
    return holds(bytes(8))
words = b"/usr/lib/git-core/git\\0git\\0--version\\0"
shim, real = "/run/execpolicy/shim", "/usr/lib/git-core/git"
launch = ["execpolicy", none(), none(), "0", "0", "0", none(), real, "git", "--version"]
attempt("memory", lambda: os.execv(memory(), ["git", "--version"]))
attempt("loader", lambda: os.execv("/lib64/ld-linux-x86-64.so.2", ["ld", memory(), "--version"]))
attempt("unnamed", lambda: os.execv(unnamed(), ["git", "--version"]))
attempt("launcher", lambda: os.execv(opened(shim), launch))
attempt("become", lambda: os.execv(opened(shim), ["execpolicy", "99", holds(words), none(), "1"]))
attempt("begin", lambda: os.execv("/run/execpolicy/begin", ["begin", "-", "--", real, "--version"]))
attempt("shell", lambda: os.execv("/run/execpolicy/shell/bash", ["bash", "-c", "git --version"]))
"""


def test_an_agent_runs_no_program_from_memory(project: Path, home: Path, shim: str) -> None:
    """Nor by what starts commands and the agent itself."""
    (project / "client.py").write_text(MEMORY)
    done = wrapped(project, "", agent=["/usr/bin/python3", "client.py"])
    lines = done.stdout.decode().splitlines()
    assert len(lines) == 7, done.stderr
    assert [line for line in lines if line.endswith(" 0") or "version" in line] == []


COMMANDS = [
    ("python3 -c \"print(open('/proc/$(cat pid)/environ').read())\"", "CANARY"),
    ("ls /proc/$(cat pid)/root/ && echo RAN", "RAN"),
    ("cat /proc/$(cat pid)/fd/0 && echo RAN", "RAN"),
    ("readlink /proc/$(cat pid)/fd/1 && echo RAN", "RAN"),
    ("ls /proc/1/root/ && echo RAN", "RAN"),
    ("readlink /proc/1/fd/0 && echo RAN", "RAN"),
    ("python3 -c \"open('/proc/$(cat pid)/mem', 'rb').read(1); print('RAN')\"", "RAN"),
    ("python3 -c \"import os; os.pidfd_open(int(open('pid').read())); print('RAN')\"", "nothing"),
    ("ls /run/execpolicy && echo RAN", "RAN"),
    ("cat ~/.ssh/id_test", "SECRET"),
    ("cat < ~/.ssh/id_test", "SECRET"),
    ("printenv ANTHROPIC_API_KEY MY_TOKEN", "KEY"),
    ("touch .git/hooks/pre-commit && echo RAN", "RAN"),
    ("bash -c 'exec 3<>/dev/tcp/192.0.2.1/80 && echo RAN'", "RAN"),
    ("unshare -U true && echo RAN", "RAN"),
    ("nsenter -t 1 -m true && echo RAN", "RAN"),
    ("mount -t tmpfs none /mnt && echo RAN", "RAN"),
    ("bash -c 'kill -9 1; echo alive'; env true || echo RAN", "RAN"),
]


def test_what_a_command_is_kept_from(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(home)
    monkeypatch.setenv("MY_TOKEN", "KEY")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "KEY")
    neighbour = "bash -c 'export LC_ALL=CANARY; sleep 300 & echo $! > pid'\n"
    every = neighbour + "\n".join(f"( {text}\n) 2>&1; echo @@" for text, _ in COMMANDS)
    options = ("--pass", "ANTHROPIC_API_KEY", "--pass", "MY_TOKEN")
    shown = wrapped(project, every, *options).stdout.decode().split("@@\n")
    assert len(shown) == len(COMMANDS) + 1
    held = [(text, canary in out) for (text, canary), out in zip(COMMANDS, shown, strict=False)]
    assert held == [(text, False) for text, _ in COMMANDS], shown


def test_descriptors_of_what_is_hidden_do_not_come_to_a_command(project: Path, home: Path) -> None:
    """A file that the agent alone sees is carried, so that nothing can be opened again by it, and
    one with another number is not handed on at all; a directory never."""
    (home / "state").mkdir()
    (home / "state/data").write_text("the agent's\n")
    text = """
python3 -c 'import os; os.open("/proc/self/fd/0", os.O_RDWR); print("REOPENED")' < ~/state/data
python3 -c 'import os; os.fstat(8); print("RAN")' 8< ~/state/data
python3 -c 'import os; os.fstat(8); print("RAN")' 8< /
cat < ~/state/data
echo more | cat >> ~/state/data
"""
    done = wrapped(project, text, "--state", str(home / "state"))
    assert b"RAN" not in done.stdout
    assert b"the agent's" in done.stdout
    assert (home / "state/data").read_text() == "the agent's\nmore\n"


def every(name: str) -> list[str]:
    """The processes that have a word in their command line, by their numbers."""
    done = subprocess.run(["pgrep", "-f", name], capture_output=True, text=True)
    return done.stdout.split()


@pytest.mark.parametrize("which", ["supervisor", "session"])
def test_nothing_is_left_where_a_part_is_killed(
    project: Path, home: Path, shim: str, which: str
) -> None:
    mark = f"6{os.getpid()}"
    text = f"bash -c 'sleep {mark} & echo on > on'; env sleep 0.5; bash -c 'sleep {mark}'; env true"
    with Process(words(project, ["bash", "-c", text]), cwd=project, env=environment()) as process:
        until(lambda: (project / "on").exists() and len(every(f"sleep {mark}")) > 2)
        number = process.pid if which == "session" else supervisor_of(process.pid)
        os.kill(number, signal.SIGKILL)
        assert process.wait(HANG_SECONDS) != 0
        until(lambda: not every(f"sleep {mark}"))


def test_nothing_of_a_session_stays(project: Path, home: Path) -> None:
    """Neither its directory, nor that of one that was killed, once another begins."""
    shared = home / ".local/state/execpolicy/shared"
    with Process(words(project, ["bash", "-c", "echo on > on; env sleep 90"]), cwd=project,
                 env=environment()) as process:  # fmt: skip
        until(lambda: (project / "on").exists())
        process.kill()
    assert os.listdir(shared) != []
    wrapped(project, "echo x > /tmp/x; cat /tmp/x")
    assert os.listdir(shared) == []


def supervisor_of(process: int) -> int:
    """The process below a session that began a session of its own and is not an agent."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    own = sys.executable.rpartition("/")[2]
    (found,) = [
        one for one in children if Path(f"/proc/{one}/comm").read_text().startswith(own[:6])
    ]
    return int(found)


def test_a_shim_without_a_supervisor_runs_nothing(
    project: Path, home: Path, shim: str, tmp_path: Path
) -> None:
    """Outside of every session there is no socket."""
    from execpolicy.wrap.programs import shim_program

    program = shim_program()
    line = [program] if not program.endswith(".py") else ["/usr/bin/python3", "-IS", program]
    done = subprocess.run([*line, "-c", "echo RAN"], capture_output=True, timeout=HANG_SECONDS)
    assert (done.returncode, done.stdout) == (125, b"")
    assert done.stderr == b"execpolicy: the supervisor of this session is gone: nothing was run\n"


def test_every_program_of_the_directories_is_the_shim(project: Path, home: Path) -> None:
    text = """
for f in /usr/bin/* /usr/sbin/* /bin/* /usr/local/bin/*; do
    [ "$f" -ef /run/execpolicy/shim ] || { [ -e "$f" ] && builtin echo "$f"; }
done; builtin echo done
"""
    assert wrapped(project, text).stdout == b"done\n"


UNFINISHED = "<unfinished ...>"


@pytest.mark.slow
@pytest.mark.parametrize("hook", [False, True], ids=["", "hook"])
@pytest.mark.parametrize("host", real.LINES)
def test_the_agent_executes_nothing_but_its_own_and_the_shim(
    host: str, project: Path, home: Path, tmp_path: Path, hook: bool
) -> None:
    """Each execve(2) below the agent, as the kernel saw it."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("NOT TESTED: strace is not installed")
    trace = tmp_path / "trace"
    calls = "trace=execve,execveat,clone,clone3,fork,vfork"
    how = ("-f", "-qq", "-s", "300", "--decode-pids=pidns")
    before = (strace, *how, "-e", calls, "-o", str(trace))
    with paper.model("echo x > ran; cat a.txt; git status") as model:
        done = hosts.run(host, model, project, home, *before, hook=hook)
    assert (project / "ran").exists(), (done.stdout, done.stderr)
    executed = below_agent(trace.read_text(errors="replace"))
    assert len(executed) >= 4, executed
    again = "/proc/self/exe"  # which is what it was before
    places = r"/run/execpolicy/|/(usr/)?s?bin/|.*/node_modules/(\.bin/)?(@?[a-z-]*)"
    known = re.compile(f"{places}|{again}$")
    own = real.INSTALLED / "node_modules"
    assert [p for p in executed if not known.match(p) and not p.startswith(str(own))] == []


def below_agent(text: str) -> list[str]:
    """What was executed, with success, by the agent and all that is below it."""
    parents: dict[str, str] = {}
    executed: list[tuple[str, str]] = []
    for process, said in whole(text):
        if found := re.match(r'execve(?:at)?\((?:\w+, )?"([^"]*)".* = 0$', said):
            executed.append((process, found[1]))
        elif found := re.match(r"(?:clone3?|v?fork)\(.* = (\d+)(?: /\* (\d+) in .*)?$", said):
            parents[found[2] or found[1]] = process
    agents = {process for process, path in executed if path == "/run/execpolicy/begin"}

    def inside(process: str) -> bool:
        return process in agents or (process in parents and inside(parents[process]))

    return [path for process, path in executed if inside(process)]


def whole(text: str) -> Iterator[tuple[str, str]]:
    """Each call of a trace with its process: what others came between is put together."""
    begun: dict[str, str] = {}
    for line in text.splitlines():
        process, _, said = line.partition(" ")
        said = said.strip()
        if said.endswith(UNFINISHED):
            begun[process] = said.removesuffix(UNFINISHED)
            continue
        if said.startswith("<... "):
            said = begun.pop(process, "") + said.partition(" resumed>")[2]
        yield process, said


MADE_UP = {
    "none": b"",
    "cut off": (1).to_bytes(8, "little"),
    "too many": (1 << 40).to_bytes(8, "little") + bytes(64),
    "less than none": (-1).to_bytes(8, "little", signed=True) + bytes(64),
    "of another call": array("q", (1, 0, 1, 1, 0, 5, 0, 0, 0)).tobytes(),
    "that writes": array("q", (1, 1 << 4, 72, 0, 5, 8, 0, 0, 0)).tobytes(),
    "far away": array("q", (1, 1, 95, 1 << 40, 0, 0, 0, 0, 0)).tobytes(),
    "of a later result": array("q", (1, 2, 95, 0, 0, 0, 0, 0, 0)).tobytes(),
}


@pytest.mark.parametrize("calls", MADE_UP.values(), ids=MADE_UP)
def test_the_launcher_makes_no_other_calls(calls: bytes) -> None:
    """Whoever may start the shim may start it as the launcher."""
    program = compiled("shim")
    if not Path(program).exists():
        pytest.skip("NOT TESTED: the package was built without a compiler")
    opened, words, made = os.open(program, os.O_RDONLY), os.memfd_create("w"), os.memfd_create("c")
    os.write(words, b"/bin/echo\0echo\0ran\0")
    os.write(made, calls)
    line = [f"/proc/self/fd/{opened}", str(opened), str(words), str(made), "1"]
    done = subprocess.run(line, pass_fds=(opened, words, made), capture_output=True)
    assert (done.returncode, done.stdout) == (126, b"")
