"""Runs that are killed at any moment leave nothing: no plant, process, mount, journal or group."""

import os
import random
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sandbox.test_run import MODULE, ROOT, command, run, running
from tests.waiting import HANG_SECONDS, Process, until

PLANT = "mkdir -p s; echo evil > .envrc; echo evil > s/.mcp.json; sleep 0.{}"


@pytest.mark.parametrize(
    ("runs", "killed"), [(10, 4), pytest.param(1000, 200, marks=pytest.mark.slow)]
)
def test_nothing_is_left(project: Path, home: Path, runs: int, killed: int) -> None:
    with (project.parent / "a.rules").open("a") as rules:
        rules.write("sandbox(processes = 500)\n")
    chance = random.Random(7)  # noqa: S311
    doomed = set(chance.sample(range(runs), killed))
    launchers = set()
    for number in range(runs):
        words = command(project, "-c", PLANT.format(number % 3))
        if number in doomed:
            launchers.add(_kill(words, chance.random() * 1.2))
        else:
            subprocess.run(words, cwd=ROOT, stderr=subprocess.DEVNULL, timeout=HANG_SECONDS)
            assert not _planted(project)
    run(project, "--", "true")
    assert not _planted(project)
    assert not running(project)
    assert os.listdir(home / ".local/state/execpolicy/runs") == []
    assert str(project) not in Path("/proc/self/mountinfo").read_text()
    assert not _groups(launchers)
    assert sorted(os.listdir(project)) in ([".git", "a.txt", "s"], [".git", "a.txt"])


def _kill(words: list[str], after: float) -> int:
    """Start a run and kill its launcher, whose number it gives."""
    with Process(words, cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
    return process.pid


def _planted(project: Path) -> list[Path]:
    return [p for p in (project / ".envrc", project / "s/.mcp.json") if os.path.lexists(p)]


def _groups(launchers: set[int]) -> list[Path]:
    """Control groups of these launchers, and what was taken for one."""
    every = [p for p in Path("/sys/fs/cgroup").rglob("execpolicy-*") if p.is_dir()]
    return [p for p in every if int(p.name.split("-")[1]) in launchers]


FORGE = """
for f in /proc/1/fd/*; do (printf '%s' '{"cwd": "/", "roots": [], "mounts": [], "noted":
  [["PROJECT/../planted", 1, 1, "/etc/passwd", false]]}' > $f) 2>/dev/null; done
touch .envrc; echo; echo done; sleep 600
"""


def test_a_command_cannot_write_what_another_process_would_do_for_it(project: Path) -> None:
    """The journal of a run that was killed is read outside: nothing inside may reach it."""
    words = command(project, "-c", FORGE.replace("PROJECT", str(project)))
    with Process(words, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while process.stdout.readline() != b"done\n":
            continue
        process.send_signal(signal.SIGKILL)
    run(project, "--", "true")
    assert not os.path.lexists(project.parent / "planted")
    assert not (project / ".envrc").exists()


def _killed(project: Path, text: str) -> None:
    """A run whose launcher is killed when the command has written `done`."""
    words = command(project, "-c", f"{text}; echo; echo done; sleep 600")
    with Process(words, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"done\n" in iter(process.stdout.readline, b"")
        process.send_signal(signal.SIGKILL)


def test_it_is_finished_by_the_rules_that_it_had(project: Path) -> None:
    with (project.parent / "a.rules").open("a") as rules:
        rules.write('path_rule(["**/own"], modes = ["write"], decision = "forbidden")\n')
    (project / "make.sh").write_text("touch .envrc; mkdir c; touch c/own; chmod 0 c")
    _killed(project, "sh make.sh")
    (project.parent / "a.rules").write_text("")
    words = [*MODULE, "check", "--no-builtin", "--", "ls"]
    told = subprocess.run(words, cwd=project.parent, capture_output=True, text=True).stderr
    (project / "c").chmod(0o700)
    assert (told.count("was moved"), os.listdir(project / "c")) == (2, [])
    assert not (project / ".envrc").exists()


def test_a_journal_that_cannot_be_finished_is_told_and_holds_up_no_other(
    project: Path, home: Path
) -> None:
    _killed(project, "touch .envrc")
    runs = home / ".local/state/execpolicy/runs"
    (journal,) = (path for path in runs.iterdir() if path.suffix != ".lock")
    other = runs / f"000000000000-{journal.name.partition('-')[2]}"
    other.write_text('{"cwd": "/"}')
    os.mkfifo(f"{other}.lock")
    assert str(other) in run(project, "--", "true").stderr
    assert not (project / ".envrc").exists()
    assert not journal.exists()


def _again(path: Path) -> None:
    """Remove a file and make it anew, as `git checkout` does: it may get the same inode."""
    path.unlink()
    path.write_text("new")


REPLACED: list[tuple[str, Callable[[Path, Path], object]]] = [
    ("a file that an editor saves", lambda p, _: (p / "new").replace(p / ".envrc")),
    ("one that git checks out", lambda p, _: _again(p / ".envrc")),
    ("one that is removed", lambda p, _: (p / ".envrc").unlink()),
    ("a directory", lambda p, _: (p / ".husky").rename(p / "h")),
    ("one above a protected file", lambda p, _: (p / "sub").rename(p / "h")),
    ("a key of the home", lambda _, h: _again(h / ".netrc")),
]


@pytest.mark.parametrize(("what", "change"), REPLACED, ids=[what for what, _ in REPLACED])
@pytest.mark.parametrize("pause", ["", "sleep 0.3; "])
def test_a_run_whose_wall_falls_is_ended_and_that_is_told(
    project: Path, home: Path, what: str, change: Callable[[Path, Path], object], pause: str
) -> None:
    for path in (project / ".husky", project / "sub"):
        path.mkdir()
    for path in (project / ".envrc", project / "new", project / "sub/.envrc", home / ".netrc"):
        path.touch()
    text = f"{pause}echo begun; read line; {'sleep 600' if pause else 'true'}"
    words = command(project, "-c", text)
    with Process(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        change(project, home)
        _, told = process.communicate(b"on\n", timeout=HANG_SECONDS)
    assert (process.returncode, b"its wall fell" in told) == (125, True), told


def test_files_that_change_all_the_time_end_no_run(project: Path, home: Path) -> None:
    """Those that programs rewrite, and what is personal alone."""
    (home / ".bash_history").touch()
    (home / "notes.txt").touch()
    words = command(project, "-c", "sleep 0.3; echo begun; read line")
    with Process(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        _again(home / ".bash_history")
        _again(home / "notes.txt")
        (home / ".envrc").touch()
        assert process.communicate(b"on\n", timeout=HANG_SECONDS)[0] == b""
    assert process.returncode == 0
    assert (home / ".envrc").exists()


def test_what_outlives_a_killed_launcher_is_ended(project: Path, home: Path) -> None:
    """bubblewrap's inner process waits for the outer one; nobody kills it if that is killed."""
    runs = home / ".local/state/execpolicy/runs"
    runs.mkdir(parents=True, mode=0o700)
    launcher = subprocess.Popen(["true"])
    launcher.wait()
    journal = runs / f"0123456789ab-{launcher.pid}-1"
    journal.write_text("{")
    new = runs / f"abcdef012345-{launcher.pid}-1.new"
    new.write_text("")
    words = ["bwrap", "--unshare-pid", "--ro-bind", "/", "/", "--sync-fd", "9", "sleep", "600"]
    text = f"mkfifo {journal}.lock; exec 9<>{journal}.lock; flock 9; exec {' '.join(words)}"
    with Process(["bash", "-c", text]) as orphan:
        until(lambda: Path(f"/proc/{orphan.pid}/exe").resolve().name == "bwrap")
        assert run(project, "--", "true").returncode == 0
        assert orphan.wait(HANG_SECONDS) in (-signal.SIGKILL, 128 + signal.SIGKILL)
    assert os.listdir(runs) == []


def test_a_run_beside_others_ends_none_of_them(project: Path) -> None:
    words = command(project, "-c", "echo begun; read line; echo $line")
    with Process(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as beside:
        assert beside.stdin is not None
        assert beside.stdout is not None
        assert beside.stdout.readline() == b"begun\n"
        assert run(project, "--", "true").returncode == 0
        assert beside.communicate(b"on\n", timeout=HANG_SECONDS)[0] == b"on\n"
