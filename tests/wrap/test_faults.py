"""Faults while a session works: no command runs without its walls, and nothing is left."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from execpolicy.sandbox.backends.process_tree import children_of
from execpolicy.wrap.worker import MAX_WATCHING
from tests.waiting import HANG_SECONDS, Process, until
from tests.wrap.support import environment, words, wrapped
from tests.wrap.test_attacks import supervisor_of

CANARY = "original\n"
REACHES = "echo PWNED > ../canary; echo PWNED > /etc/execpolicy-canary"
"""What a command without walls would do."""


@pytest.fixture
def canary(project: Path, home: Path) -> Path:
    made = project.parent / "canary"
    made.write_text(CANARY)
    return made


def assert_held(canary: Path, home: Path) -> None:
    """Nothing was written outside, and nothing of the session is there."""
    assert canary.read_text() == CANARY
    assert not os.path.exists("/etc/execpolicy-canary")
    assert os.listdir(home / ".local/state/execpolicy/shared") == []


def test_fifty_at_once(project: Path, home: Path, canary: Path, shim: str) -> None:
    one = f"bash -c 'echo $0; {REACHES}; echo $0 > made.$0' $i"
    done = wrapped(project, f"for i in {{1..50}}; do {one} & done 2>/dev/null; wait")
    numbers = sorted(map(int, done.stdout.split()))
    assert numbers == [*range(1, 51)], done.stderr
    assert len([*project.glob("made.*")]) == 50
    assert_held(canary, home)


@pytest.mark.parametrize(
    "again",
    [pytest.param(False, marks=pytest.mark.rest), True],
    ids=["", "another one takes its place"],
)
def test_a_project_that_is_moved(project: Path, home: Path, canary: Path, again: bool) -> None:
    """Whoever moves it outside, in the middle of a session."""
    one = f"bash -c '{REACHES}; echo x > made'"
    text = f"{one}; echo on > on; until test -e go; do read -t 0.05 <> <(:); done; {one}; {one}"
    moved = project.parent / "moved"
    with Process(words(project, ["bash", "-c", text]), cwd=project, env=environment(),
                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as session:  # fmt: skip
        until(lambda: (project / "on").exists())
        project.rename(moved)
        if again:
            shutil.copytree(moved, project, symlinks=True)
        (moved / "go").touch()
        session.wait(HANG_SECONDS)
    assert_held(canary, home)
    assert (moved / "made").exists()


@pytest.mark.rest
def test_a_command_waits_for_a_supervisor_that_is_late(
    project: Path, home: Path, canary: Path, each_shim: str
) -> None:
    """As where many commands are there before it, on a machine with much to do."""
    text = "echo on > on; until test -e go; do read -t 0.05 <> <(:); done; env echo ran"
    with Process(words(project, ["bash", "-c", text]), cwd=project, env=environment(),
                 stdout=subprocess.PIPE) as session:  # fmt: skip
        until(lambda: (project / "on").exists())
        supervisor = supervisor_of(session.pid)
        os.kill(supervisor, signal.SIGSTOP)
        (project / "go").touch()
        time.sleep(12)
        os.kill(supervisor, signal.SIGCONT)
        assert session.communicate(timeout=HANG_SECONDS)[0] == b"ran\n"
    assert_held(canary, home)


@pytest.mark.parametrize("shim", ["Python"], indirect=True)
def test_what_starts_commands_is_killed(project: Path, home: Path, canary: Path, shim: str) -> None:
    """Where there is no static launcher: a copy of the worker does what the small process did."""
    one = f"bash -c '{REACHES}; echo ran' 2>/dev/null"
    text = f"{one}; echo on > on; until test -e go; do read -t 0.05 <> <(:); done; {one}"
    with Process(words(project, ["bash", "-c", text]), cwd=project, env=environment(),
                 stdout=subprocess.PIPE) as session:  # fmt: skip
        until(lambda: (project / "on").exists())
        workers = children_of(supervisor_of(session.pid))
        small = [p for w in workers for p in children_of(w) if b"\0-IS\0" in words_of(p)]
        assert small
        for process in small:
            os.kill(process, signal.SIGKILL)
        (project / "go").touch()
        assert session.communicate(timeout=HANG_SECONDS)[0] == b"ran\nran\n"
    assert_held(canary, home)


def words_of(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: only root mounts here")
@pytest.mark.parametrize("where", ["project", pytest.param("home", marks=pytest.mark.rest)])
def test_a_disk_that_is_full(project: Path, home: Path, canary: Path, where: str) -> None:
    """The project, or the user's own state, with `/tmp` of the session, on 16 MB."""
    at = {"project": project, "home": home}[where]
    fills = "cat /dev/zero > fill; cat /dev/zero > /tmp/fill"
    one = f"bash -c '{REACHES}; echo done'"
    text = f"{one}; {fills} 2>/dev/null; {one}; {one}; env true; rm -f fill /tmp/fill; {one}"
    line = shlex.join(words(project, ["bash", "-c", text]))
    filled = f"head -c 15900k /dev/zero > {at}/fill; " if where == "home" else ""
    mounts = f"mount -t tmpfs -o size=16m none {at}"
    script = f"{mounts}; {filled}cd {project} && {line}; echo ended $?"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True,
                          env=environment(), timeout=HANG_SECONDS)  # fmt: skip
    assert re.search(r"ended \d+", done.stdout), done
    assert canary.read_text() == CANARY
    assert not os.path.exists("/etc/execpolicy-canary")
    if where != "home":
        assert done.stdout.count("done") >= 2, done


def test_what_is_left_running_leaves_others_a_watch(project: Path, home: Path) -> None:
    """Of the kernel's instances a user has 128 by default."""
    left = f"for i in {{1..{MAX_WATCHING + 6}}}; do bash -c 'sleep 600 & sleep 0.15'; done"
    text = f"{left}; echo on > on; until test -e go; do read -t 0.05 <> <(:); done"
    with Process(words(project, ["bash", "-c", text]), cwd=project, env=environment(),
                 stderr=subprocess.DEVNULL) as session:  # fmt: skip
        until(lambda: (project / "on").exists())
        supervisor = supervisor_of(session.pid)
        every = [link for one in children_of(supervisor) for link in links_of(one)]
        (project / "go").touch()
        session.wait(HANG_SECONDS)
    assert 0 < every.count("anon_inode:inotify") <= 2 * MAX_WATCHING


def links_of(process: int) -> list[str]:
    return [os.readlink(one) for one in Path(f"/proc/{process}/fd").iterdir()]


def figures(process: int) -> dict[str, int]:
    """What a process holds: kilobytes of its own, descriptors, and mounts that it sees."""
    smaps = Path(f"/proc/{process}/smaps_rollup").read_text()
    own = sum(int(n) for n in re.findall(r"^Private_\w+: +(\d+)", smaps, re.MULTILINE))
    mounts = len(Path(f"/proc/{process}/mountinfo").read_text().splitlines())
    return {"memory": own, "descriptors": len(os.listdir(f"/proc/{process}/fd")), "mounts": mounts}


MANY = """
for i in {{1..{left}}}; do bash -c 'sleep 36000 & echo x > made'; done
many() {{ for ((i = 0; i < $1; i++)); do env true || echo failed $?; done; }}
at_once() {{ for k in {{1..4}}; do many $(($1 / 4)) & done; wait; }}
at_once {warm}
echo > one; until test -e go; do read -t 0.05 <> <(:); done
at_once {count}
for i in {{1..{some}}}; do bash -c 'echo PWNED > ../canary; echo x > made'; done 2>/dev/null
echo > two; until test -e end; do read -t 0.05 <> <(:); done
"""


@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize(
    ("left", "count"),
    [
        (5, 60),
        pytest.param(50, 3000, marks=pytest.mark.rest),
        pytest.param(200, 100_000, marks=pytest.mark.slow),
    ],
)
def test_many_commands_cost_no_more(
    project: Path, home: Path, canary: Path, left: int, count: int
) -> None:
    """Four at a time, with processes that are left running."""
    text = MANY.format(left=left, warm=min(count // 3, 10_000), count=count, some=count // 20)
    with Process(words(project, ["bash", "-c", text]), cwd=project, env=environment(),
                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) as session:  # fmt: skip
        _until(project / "one", session, count)
        supervisor = supervisor_of(session.pid)
        before = figures(supervisor)
        (project / "go").touch()
        _until(project / "two", session, count)
        after = figures(supervisor)
        (project / "end").touch()
        said = session.communicate(timeout=HANG_SECONDS)
    assert said[0] == b"", said
    assert after["descriptors"] <= before["descriptors"] + 8, (before, after)
    assert after["mounts"] == before["mounts"], (before, after)
    assert after["memory"] < before["memory"] * 1.2 + 2048, (before, after)
    assert_held(canary, home)


def _until(path: Path, session: "Process", count: int) -> None:
    for _ in range(1 + count // 100):
        try:
            until(path.exists)
            return
        except AssertionError:
            assert session.poll() is None
    raise AssertionError(f"{path.name} never came")
