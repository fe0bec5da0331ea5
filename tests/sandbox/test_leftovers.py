"""Runs that are killed at any moment leave nothing: no plant, process, mount, journal or group."""

import os
import random
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from execpolicy.model.confinement import SandboxSettings
from execpolicy.sandbox.backends.control_groups import Groups
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


def test_the_group_of_a_killed_run_goes_with_what_is_left_in_it(tmp_path: Path) -> None:
    """bubblewrap's child waits for ever where bubblewrap ended before it let it go on. A group
    with anything else in it is left alone: it may be of another process namespace."""
    groups = Groups(SandboxSettings(processes=500))
    if not groups.made:
        pytest.skip("no control group can be made here")
    groups.remove()
    above = os.path.dirname(groups.made[0])
    first = ["unshare", "--pid", "--fork", "--kill-child", "sleep", "600"]
    with (
        _member(f"{above}/execpolicy-1-1", first) as orphan,
        _member(f"{above}/execpolicy-1-2", ["sleep", "600"]) as other,
    ):
        Groups(SandboxSettings(processes=500)).remove()
        until(lambda: orphan.poll() is not None)
        assert not os.path.exists(f"{above}/execpolicy-1-1")
        assert other.poll() is None
    Groups(SandboxSettings(processes=500)).remove()
    assert not os.path.exists(f"{above}/execpolicy-1-2")


@contextmanager
def _member(path: str, words: list[str]) -> Iterator[Process]:
    """A process whose last child, or itself, is alone in a group."""
    os.mkdir(path)
    with Process(words) as process:
        until(lambda: words[0] == "sleep" or _children(process.pid))
        inside = _children(process.pid) or [process.pid]
        Path(path, "cgroup.procs").write_text(str(inside[-1]))
        yield process
        process.kill()


def _children(process: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


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
    Path(f"{other}.lock").touch()
    assert str(other) in run(project, "--", "true").stderr
    assert not (project / ".envrc").exists()
    assert not journal.exists()


def _again(path: Path) -> None:
    """Remove a file and make it anew, as `git checkout` does: it may get the same inode."""
    path.unlink()
    path.write_text("new")


def test_no_change_of_the_home_ends_a_run(project: Path, home: Path) -> None:
    """What is out of sight there has no wall of its own that could fall."""
    names = (".bash_history", "notes.txt", ".netrc", ".gitconfig")
    for name in names:
        (home / name).touch()
    words = command(project, "-c", "sleep 0.3; echo begun; read line")
    with Process(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        for name in names:
            _again(home / name)
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
    Path(f"{journal}.lock").touch()
    held = os.memfd_create(journal.name)
    text = f"exec 9<>/proc/self/fd/{held}; exec {' '.join(words)}"
    with Process(["bash", "-c", text], pass_fds=[held]) as orphan:
        os.close(held)
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


def test_no_descriptor_inside_has_a_path(project: Path) -> None:
    text = "for f in /proc/[0-9]*/fd/*; do readlink $f; done; flock -n /proc/1/fd/5 true; echo end"
    found = run(project, "-c", text).stdout.split()
    assert not [one for one in found if one.startswith("/") and "/dev/" not in one[:5] and
                not one.startswith(("/memfd:", "/proc"))]  # fmt: skip
    assert "end" in found
