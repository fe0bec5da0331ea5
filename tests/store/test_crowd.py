"""Many processes at once on an empty cache: one compiles, the others read what it left."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.store import loader
from execpolicy.store.compiled import cache
from execpolicy.store.sources import locks
from execpolicy.support import directories
from tests.store.support import user

PROCESSES = 50


def started(home: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "execpolicy", "check", "--", "mytool", "x"]
    return subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_fifty_at_once_all_say_what_the_rules_say(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    user(home, 'prefix_rule(["mytool"], "forbidden", justification = "not this one")')
    processes = [started(home) for _ in range(PROCESSES)]
    said = [process.communicate() for process in processes]
    assert {process.returncode for process in processes} == {2}
    assert {out.partition(b"\n")[0] for out, _ in said} == {b"forbidden: `mytool x`: not this one"}
    assert {error for _, error in said} == {b""}
    assert not children_of({process.pid for process in processes})


def children_of(parents: set[int]) -> list[str]:
    """Processes whose parent was one of these, or that evaluate and have none any more."""
    found = []
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else ():
        try:
            status = (Path("/proc") / entry / "stat").read_text()
        except OSError:
            continue
        if int(status.rpartition(")")[2].split()[1]) in parents:
            found.append(status)
    return found


def test_a_part_is_made_once(tmp_path: Path) -> None:
    """Eight processes; each that makes it says so, and does not end before all have come."""
    path, log = str(tmp_path / "cache/x"), tmp_path / "log"
    arrived, came = os.pipe()

    def make() -> int:
        with open(log, "a") as file:
            file.write("made\n")
        for _ in range(8):
            os.read(arrived, 1)
        Path(path).write_text("7")
        return 7

    def recall() -> int | None:
        return int(Path(path).read_text() or 0) or None if os.path.exists(path) else None

    children = []
    for _ in range(8):
        child = os.fork()
        if child == 0:
            os.write(came, b".")
            os._exit(locks.once(path, recall, make))
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children] == [7] * 8
    assert log.read_text() == "made\n"
    os.close(arrived)
    os.close(came)


def test_who_is_ended_while_it_makes_keeps_nobody_waiting(tmp_path: Path) -> None:
    path = str(tmp_path / "cache/x")
    child = os.fork()
    if child == 0:
        locks.once(path, lambda: None, lambda: os._exit(9))
    os.waitpid(child, 0)
    assert locks.once(path, lambda: None, lambda: 7) == 7


def test_who_is_stopped_while_it_makes_keeps_nobody_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "MAX_WAIT_SECONDS", 0.2)
    path = str(tmp_path / "cache/x")
    assert locks.once(path, lambda: None, lambda: locks.once(path, lambda: None, lambda: 7)) == 7


def test_a_cache_that_cannot_be_locked_is_no_reason_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("no directory")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert locks.once(cache.place("x"), lambda: None, lambda: 7) == 7
    os.mkfifo(tmp_path / ".x.lock")
    assert locks.once(str(tmp_path / "x"), lambda: None, lambda: 7) == 7


def test_a_pipe_in_the_cache_is_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    os.makedirs(directories.cache(), 0o700)
    os.mkfifo(cache.place("x"))
    assert cache.read("x", "stamp") is None
    assert loader.load([], builtin=False).digest == ""


def test_a_lock_that_is_not_let_go_of_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "MAX_WAIT_SECONDS", 0.05)
    path = str(tmp_path / "a.rules")
    with (
        locks.locked(path),
        pytest.raises(OSError, match="does not let go"),
        locks.locked(path),
    ):
        raise AssertionError("it was locked twice")
