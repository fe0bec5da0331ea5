"""`execpolicy run` as a program: exit codes, streams, signals, terminals, and killed runs."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.terminal import Terminal
from tests.waiting import HANG_SECONDS, Process, until

MODULE = [sys.executable, "-m", "execpolicy"]
RUN = [*MODULE, "run", "--confined"]
ROOT = Path(__file__).parents[2]


def command(project: Path, *words: str) -> list[str]:
    return [*RUN, "--rules", str(project.parent / "a.rules"), "--cwd", str(project), *words]


def run(project: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(project, *words), input=stdin, capture_output=True, text=True,
                          cwd=ROOT, timeout=HANG_SECONDS)  # fmt: skip


CODES = [
    (["--", "true"], 0, ""),
    (["--", "sh", "-c", "exit 42"], 42, ""),
    (["-c", "exit 42"], 42, ""),
    (["--", "no-such-program"], 127, "is not found on PATH"),
    (["-c", "no-such-program"], 127, "command not found"),
    (["-c", "kill -TERM $$"], 143, ""),
    (["-c", "touch x"], 122, "forbidden: `touch x`"),
    (["-c", "mkdir d"], 123, "the user has to be asked"),
    (["-c", "sleep 60"], 124, "ended after 1 s"),
    ([], 64, "give words"),
    (["-c", "true", "--", "true"], 64, "give words"),
    (["--status-fd", "x", "--", "true"], 64, "is not a descriptor"),
    (["--status-fd", "99", "--", "true"], 64, "descriptor 99 is not open for writing"),
    (["--format", "json", "--", "true"], 64, "`--format` needs `--dry`"),
]


@pytest.mark.parametrize(("words", "code", "told"), CODES)
def test_exit_codes(project: Path, words: list[str], code: int, told: str) -> None:
    with (project.parent / "a.rules").open("a") as rules:
        rules.write('prefix_rule(["touch"], decision = "forbidden")\n')
        rules.write('prefix_rule(["mkdir"], decision = "prompt")\n')
        if code == 124:
            rules.write('sandbox(time = "1s")\n')
    done = run(project, *words)
    assert (done.returncode, told in done.stderr) == (code, True), done.stderr


@pytest.mark.parametrize("backend", ["none", "external"])
@pytest.mark.parametrize("again", [False, True])
def test_a_named_file_takes_no_walls_away(project: Path, backend: str, again: bool) -> None:
    """An agent may write the file and name it."""
    with (project.parent / "a.rules").open("a") as rules:
        rules.write(f'sandbox(backend = "{backend}")\n')
    for _ in range(1 + again):
        done = run(project, "-c", "echo x > ../outside")
        assert done.returncode != 0
    assert not (project.parent / "outside").exists()


def test_words_run_as_they_were_decided(project: Path) -> None:
    done = run(project, "--", "printf", "%s|", "a b", "$x", "*", "")
    assert done.stdout == "a b|$x|*||"


def test_streams_stay_apart(project: Path) -> None:
    done = run(project, "-c", "cat; echo err >&2", stdin="in")
    assert (done.stdout, done.stderr) == ("in", "err\n")


def test_files_are_handed_in_as_pipes(project: Path) -> None:
    given, taken = project.parent / "in", project.parent / "out"
    given.write_text("input")
    text = "cat; echo x >/proc/self/fd/0; : >/proc/self/fd/1; echo end"
    with given.open() as stdin, taken.open("w") as stdout:
        subprocess.run(command(project, "-c", text), stdin=stdin, stdout=stdout, cwd=ROOT,
                       stderr=subprocess.DEVNULL, timeout=HANG_SECONDS)  # fmt: skip
    assert given.read_text() == "input"
    assert taken.read_text() == "inputend\n"


def test_the_status_of_a_run(project: Path) -> None:
    read, write = os.pipe()
    words = command(project, "--status-fd", str(write), "-c", "exit 3")
    subprocess.run(words, cwd=ROOT, pass_fds=[write], timeout=HANG_SECONDS, stderr=subprocess.PIPE)
    os.close(write)
    with os.fdopen(read) as file:
        assert json.loads(file.read()) == {"exit": 3, "timed_out": False, "backend": "bubblewrap"}


def test_a_plan_is_printed_and_nothing_runs(project: Path) -> None:
    text = run(project, "--dry", "-c", "touch x")
    assert f"write     {project}" in text.stdout
    made = json.loads(run(project, "--dry", "--format", "json", "-c", "touch x").stdout)
    assert made["schema"] == "execpolicy.plan/1"
    assert {"path": f"{project}/.git", "wall": "read"}.items() <= next(
        mount for mount in made["mounts"] if mount["path"].endswith("/.git")
    ).items()
    assert not (project / "x").exists()


def test_an_ordinary_repository_takes_few_mounts(project: Path) -> None:
    made = json.loads(run(project, "--dry", "--format", "json", "--", "true").stdout)
    own = [m for m in made["mounts"] if m["path"].startswith((str(project), "/tmp", "/run"))]
    assert len(own) <= 12


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_are_handed_on(project: Path, number: int, code: int) -> None:
    text = "echo begun; exec sleep 60"
    with Process(command(project, "-c", text), stdout=subprocess.PIPE, cwd=ROOT,
                          stderr=subprocess.DEVNULL) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(number)
        assert process.wait(HANG_SECONDS) == code


BEGUN = "print(flush=True); from execpolicy.__main__ import main; main()"
"""Says when Python itself is ready: an interrupt before that is not the program's."""


def test_an_interrupt_at_any_moment_of_the_start_ends_all(project: Path) -> None:
    """Whatever moment a time hits on this machine, nothing is left and the exit code says why."""
    words = [sys.executable, "-c", BEGUN, *command(project, "-c", "sleep 600")[len(MODULE) :]]
    for hundredths in range(0, 60, 10):
        with Process(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"\n"
            time.sleep(hundredths / 100)
            process.send_signal(signal.SIGINT)
            assert process.wait(HANG_SECONDS) in (130, -signal.SIGINT)
    until(lambda: not running(project))


def test_a_command_may_handle_a_signal(project: Path) -> None:
    text = "trap 'echo handled; exit 9' TERM; echo begun; while :; do sleep 0.05; done"
    with Process(command(project, "-c", text), stdout=subprocess.PIPE, cwd=ROOT,
                          stderr=subprocess.DEVNULL) as process:  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == b"handled\n"
        assert process.wait(HANG_SECONDS) == 9


def test_the_next_process_finishes_a_killed_run(project: Path) -> None:
    text = "git init -q n; echo x > n/.git/hooks/pre-commit; echo; sleep 60"
    with Process(command(project, "-c", text), stdout=subprocess.PIPE, cwd=ROOT,
                          stderr=subprocess.DEVNULL) as process:  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    until(lambda: not running(project))
    assert (project / "n/.git/hooks/pre-commit").exists()
    done = run(project, "--", "true")
    assert not (project / "n/.git").exists()
    assert "was moved to" in done.stderr
    assert run(project, "--", "true").stderr == ""


def running(project: Path) -> bool:
    """Whether some process works in the project still."""
    for path in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if os.readlink(path) == str(project):
                return True
        except OSError:
            continue
    return False


def on_a_terminal(project: Path, *words: str) -> Terminal:
    """A run on a terminal of its own."""
    return Terminal(command(project, *words), ROOT)


def test_a_terminal(project: Path) -> None:
    words = ["--", "/usr/bin/env", "bash", "--norc", "-i"]
    if not os.path.exists("/bin/bash"):
        pytest.skip("NOT TESTED: no bash")
    with on_a_terminal(project, *words) as terminal:
        terminal.type("PS1='>'; test -t 0 && test -t 1 && echo term''inal\n")
        terminal.until("terminal")
        terminal.type("sh -c 'echo beg\"\"un; exec sleep 60'\n")
        terminal.until("begun")
        terminal.type("\x1a")  # stop it
        terminal.until("Stopped")
        terminal.type("kill %1; echo rea''dy; while :; do :; done\n")
        terminal.until("ready")
        terminal.type("\x03")
        terminal.until(">")
        terminal.type("exit 3\nexit 3\n")  # the first asks where the job is not yet seen as ended
        assert terminal.end() == 3


def test_an_interrupt_reaches_the_command_and_not_what_holds_it(project: Path) -> None:
    text = "trap 'echo hand''led; n=6' INT; echo rea''dy; until ((n)); do sleep 0.1; done; exit $n"
    with on_a_terminal(project, "-c", text) as terminal:
        terminal.until("ready")
        terminal.type("\x03")
        terminal.until("handled")
        assert terminal.end() == 6


ANSWERS = [
    ("y", 0, ""),
    ("n", 122, "refused"),
    ("not now", 122, "the user refused it: not now"),
    ("x", 122, "refused"),
    ("s", 0, ""),
    ("a", 122, "refused"),  # rules that the command line names are not written to
]


@pytest.mark.parametrize(("typed", "code", "told"), ANSWERS)
def test_answers_to_the_question(project: Path, typed: str, code: int, told: str) -> None:
    with (project.parent / "a.rules").open("a") as rules:
        rules.write('prefix_rule(["mkdir"], decision = "prompt")\n')
    with on_a_terminal(project, "-c", "mkdir d") as terminal:
        terminal.until("a reason against it] ")
        terminal.type(f"{typed}\n")
        if told:
            terminal.until(told)
        assert terminal.end() == code
    assert (project / "d").exists() is (code == 0)


@pytest.mark.parametrize("typed", ["s", "a"])
def test_an_answer_that_holds_longer_is_not_asked_again(
    project: Path, home: Path, typed: str
) -> None:
    """In one session of a terminal: a shell starts both runs."""
    if not shutil.which("make"):
        pytest.skip("NOT TESTED: no make")
    own = home / ".config/execpolicy/rules"
    own.mkdir(parents=True)
    (own / "a.rules").write_text('path_rule(["./*"], modes = ["write"], decision = "allow")\n')
    (project / "Makefile").write_text("all:\n\techo ran >> out\n")
    run_it = f"{sys.executable} -m execpolicy run --cwd {project} -- make all"
    words = ["/bin/sh", "-c", f"{run_it}; {run_it}; echo ended"]
    with Terminal(words, ROOT) as terminal:
        terminal.until("a reason against it] ")
        terminal.type(f"{typed}\n")
        terminal.until("ended")
        terminal.end()
    assert (project / "out").read_text() == "ran\nran\n"
