"""What another process puts in the place of a covered path is covered again, and runs go on."""

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from execpolicy.sandbox.backends.process_tree import is_stopped
from tests.sandbox.test_run import ROOT, command
from tests.waiting import HANG_SECONDS, Process, until

Running = subprocess.Popen[bytes]

READ, HIDDEN = "Read-only file system", "Permission denied"
READS = """
trap '' CONT; {before}echo begun
while read -r line; do eval "$line" 2>&1; echo; echo done; done
"""
"""Does what it is told, one line after the other."""


@contextmanager
def begun(project: Path, before: str = "", first: tuple[str, ...] = ()) -> "Iterator[Running]":
    """A run that waits for what to do; `first` are words that start it."""
    words = [*first, *command(project, "-c", READS.format(before=before))]
    with Process(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"begun\n"
            yield process
        finally:
            process.kill()


def does(process: Running, text: str) -> str:
    """What the command says of a text that it evaluates."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(text.encode() + b"\n")
    process.stdin.flush()
    said = ""
    while (line := process.stdout.readline().decode()) != "done\n":
        assert line, ended(process)
        said += line
    return said


def ended(process: Running) -> tuple[int, str]:
    _, told = process.communicate(timeout=HANG_SECONDS)
    return process.returncode, told.decode()


def covered(process: Running, path: Path, wanted: str) -> None:
    """Wait until what stands at a path is refused to the command."""
    text = f"test -{'r' if wanted is HIDDEN else 'w'} {path} || echo {wanted}"
    until(lambda: wanted in does(process, text))


def again(path: Path) -> None:
    """Remove a file and make it anew, as `git checkout` does."""
    path.unlink()
    path.write_text("secret")


def saved(path: Path) -> None:
    """Save as vim does: under a name of its own that nothing protects, then renamed."""
    new = path.with_name("4913")
    new.write_text("secret")
    new.replace(path)


CHANGES: list[tuple[str, str, Callable[[Path], None], str]] = [
    ("control, saved", "P/.envrc", saved, READ),
    ("control, made again", "P/.envrc", again, READ),
    ("a key of the project, saved", "P/.env", saved, HIDDEN),
    ("a key of the project, made again", "P/.env", again, HIDDEN),
    ("a key of the home, saved", "H/.netrc", saved, HIDDEN),
    ("a key of the home, made again", "H/.netrc", again, HIDDEN),
    ("an agent's own file", "H/.claude.json", saved, HIDDEN),
    ("below a directory", "P/sub/.envrc", saved, READ),
]


@pytest.mark.parametrize(("what", "path", "change", "wanted"), CHANGES, ids=[c[0] for c in CHANGES])
@pytest.mark.parametrize("before", ["", "sleep 0.3; "])
def test_a_cover_is_put_on_again_and_the_run_goes_on(
    project: Path, home: Path, what: str, path: str, change: Callable[[Path], None], wanted: str,
    before: str,
) -> None:  # fmt: skip
    (project / "sub").mkdir()
    file = Path(path.replace("P/", f"{project}/").replace("H/", f"{home}/"))
    file.write_text("old")
    with begun(project, before) as process:
        for _ in range(3):
            change(file)
            covered(process, file, wanted)
        assert does(process, "echo on").startswith("on\n")
        code, told = ended(process)
    assert code == 0, told
    assert "was ended" not in told
    assert file.read_text() == "secret"


def test_a_directory_is_covered_again(project: Path) -> None:
    (project / ".husky").mkdir()
    with begun(project) as process:
        (project / ".husky").rename(project / "h")
        (project / ".husky").mkdir()
        (project / ".husky/pre-commit").touch()
        covered(process, project / ".husky/pre-commit", READ)
        assert ended(process)[0] == 0
    assert (project / ".husky/pre-commit").read_text() == ""


def test_the_directory_above_is_replaced(project: Path) -> None:
    """As when a branch without it is checked out and left again."""
    (project / "sub").mkdir()
    (project / "sub/.envrc").touch()
    with begun(project) as process:
        for number in range(2):
            (project / "sub").rename(project / f"h{number}")
            (project / "sub").mkdir()
            (project / "sub/.envrc").write_text("secret")
            covered(process, project / "sub/.envrc", READ)
            assert "busy" in does(process, "mv sub moved")
        assert ended(process)[0] == 0
    assert (project / "sub/.envrc").read_text() == "secret"


ALONE = """
import ctypes, os, threading, time
def use():
    os.open(".envrc", os.O_RDONLY)
    open("ready", "w").close()
    time.sleep(600)
threading.Thread(target=use).start()
ctypes.CDLL(None).syscall(60, 0)  # exit(2)
"""
"""A process that goes on without its first thread."""
GOES_ON = "exec 9<.envrc; : > ready; while [ -w .envrc ]; do :; done; : > went-on"
"""Sees by the cover that it was held, with what it had open, and goes on."""
OPEN = [
    ("read", "exec 9<.envrc; echo"),
    ("written", "exec 9>>.envrc; echo"),
    ("of a child", "sleep 600 9<.envrc & echo"),
    ("where it works", "cd .husky; echo"),
    (
        "of a thread that is left",
        "/usr/bin/python3 a.py & until [ -e ready ]; do sleep 0.01; done; echo",
    ),
    ("and would go on", f"({GOES_ON}) & until [ -e ready ]; do sleep 0.01; done; echo"),
]


@pytest.mark.parametrize(("what", "text"), OPEN, ids=[o[0] for o in OPEN])
def test_what_was_open_ends_the_run(project: Path, what: str, text: str) -> None:
    """The launcher is held while the command opens what it has just got, with which it gets no
    further."""
    (project / ".husky").mkdir()
    (project / ".envrc").touch()
    (project / "a.py").write_text(ALONE)
    with begun(project) as process:
        process.send_signal(signal.SIGSTOP)
        until(lambda: is_stopped(process.pid))
        assert process.stdin is not None
        again(project / ".envrc")
        (project / ".husky").rename(project / "h")
        (project / ".husky").mkdir()
        process.stdin.write(f"{text} > {project}/opened\n".encode())
        process.stdin.flush()
        until(lambda: (project / "opened").exists())
        process.send_signal(signal.SIGCONT)
        until(lambda: process.poll() is not None)  # its input is still open
        code, said = ended(process)
    assert (code, "the run was ended" in said) == (125, True), said
    assert not (project / "went-on").exists()


def test_no_run_is_ended_for_a_path_outside_its_project(project: Path, home: Path) -> None:
    (home / ".netrc").touch()
    loop = "while :; do (exec 9<$HOME/.netrc; sleep 600) 2>/dev/null; done & echo begun; read line"
    words = command(project, "-c", loop)
    with Process(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as run:  # fmt: skip
        assert run.stdout is not None
        assert run.stdout.readline() == b"begun\n"
        for _ in range(20):
            again(home / ".netrc")
        _, told = run.communicate(b"on\n", timeout=HANG_SECONDS)
    assert run.returncode == 0, told


def test_who_may_have_made_it_is_told(project: Path) -> None:
    """The command makes a file where another process removed one."""
    (project / ".envrc").touch()
    with begun(project) as process:
        (project / ".envrc").unlink()
        does(process, "echo planted > .envrc")
        covered(process, project / ".envrc", READ)
        code, told = ended(process)
    was_seen = "the run was ended" in told  # while the file was open, or the run was at its end
    assert code == (125 if was_seen else 0)
    assert was_seen or "it is not known by whom" in told
