"""A process that is killed, a full disk, and two writers: no file is damaged, no undo is half."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from execpolicy.undo import restore
from execpolicy.undo.store import Limits, RecordedCall, Store, UndoError
from tests import confined
from tests.undo.worlds import made, picture, sh
from tests.waiting import HANG_SECONDS

TAKE = """
import sys
from execpolicy.undo.store import RecordedCall, Store
store = Store(sys.argv[1])
print("begun", flush=True)
while True:
    store.take(RecordedCall("x", "/", needed=True))
"""
UNDO = """
import sys
from execpolicy.undo import restore
from execpolicy.undo.store import RecordedCall, Store
store = Store(sys.argv[1])
plan = restore.taken(store, int(sys.argv[2]), RecordedCall("undo", "/"))
print("begun", flush=True)
restore.undo(store, plan)
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("template") / "p")


def copied(template: Path, root: Path) -> Path:
    """The project of `worlds`: nothing here cares where its work tree says that it lies."""
    subprocess.run(["cp", "-a", str(template), str(root)], check=True, timeout=HANG_SECONDS)
    return root


def killed(program: str, *arguments: str, after: float) -> None:
    """Run a program, and kill it so many seconds after it said that it begins."""
    command = [sys.executable, "-c", program, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait(HANG_SECONDS)
    process.stdout.close()


def _take_killed(template: Path, tmp_path: Path, seed: int) -> None:
    drawn = random.Random(seed)  # noqa: S311
    root = copied(template, tmp_path / "p")
    store = Store(str(root))
    for _ in range(4):
        (root / "more").write_bytes(os.urandom(1 << 20))
        killed(TAKE, str(root), after=drawn.random() * 0.05)
        for one in store.manifests():
            _is_whole(store, one.root)
    before = picture(root)
    number = store.take(RecordedCall("rm", "/", needed=True)).manifest.number
    sh("rm -rf src docs .git", root)
    store.end(store.manifest(number))
    assert restore.undo(store, restore.taken(store, number, RecordedCall("undo", "/"))) == []
    assert picture(root) == before


def _is_whole(store: Store, one: tuple[str | int, ...]) -> None:
    """All that a snapshot refers to is there, and is what it was."""
    for each in store.listing(one).values():
        if each[0] == "d":
            _is_whole(store, each)
        elif each[0] == "f":
            store.objects.get(str(each[-1]))


def _undo_killed(template: Path, tmp_path: Path, seed: int) -> None:
    drawn = random.Random(seed)  # noqa: S311
    root = copied(template, tmp_path / "p")
    for number in range(60):
        (root / f"many{number}").write_bytes(os.urandom(1 << 10))
    store = Store(str(root))
    before = picture(root)
    number = store.take(RecordedCall("rm", "/", needed=True)).manifest.number
    sh("rm -rf src docs many* vendor; echo x > notes.txt; mkdir -p made/deep; touch made/x", root)
    store.end(store.manifest(number))
    after = picture(root)
    killed(UNDO, str(root), str(number), after=drawn.random() * 0.1)
    begun = store.pending() is not None or number in restore.taken_back(store)
    assert restore.finish(store) == []
    assert picture(root) == (before if begun else after)


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_snapshot_damages_nothing(template: Path, tmp_path: Path, seed: int) -> None:
    _take_killed(template, tmp_path, seed)


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_undo_is_finished(template: Path, tmp_path: Path, seed: int) -> None:
    _undo_killed(template, tmp_path, seed)


@pytest.mark.rest
@pytest.mark.parametrize("seed", range(100, 160))
def test_many_killed_snapshots_damage_nothing(template: Path, tmp_path: Path, seed: int) -> None:
    _take_killed(template, tmp_path, seed)


@pytest.mark.rest
@pytest.mark.parametrize("seed", range(100, 360))
def test_many_killed_undos_are_finished(template: Path, tmp_path: Path, seed: int) -> None:
    _undo_killed(template, tmp_path, seed)


def test_two_writers_get_numbers_of_their_own(template: Path, tmp_path: Path) -> None:
    root = copied(template, tmp_path / "p")
    program = TAKE.replace("while True", "for _ in range(5)")
    command = [sys.executable, "-c", program, str(root)]
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(HANG_SECONDS) for process in both] == [0, 0]
    assert Store(str(root)).numbers() == list(range(1, 11))


FULL = """
import os, sys
from pathlib import Path
from execpolicy.undo import restore
from execpolicy.undo.store import RecordedCall, Store, UndoError
root, state = Path(sys.argv[1]), sys.argv[2]
os.environ["XDG_STATE_HOME"] = state
store = Store(str(root))
first = store.take(RecordedCall("x", "/", needed=True)).manifest
(root / "large").write_bytes(os.urandom(24 << 20))
for _ in range(3):
    try:
        store.take(RecordedCall("y", "/", needed=True))
    except UndoError as error:
        print("refused", error)
(root / "large").unlink()
(root / "a").unlink()
plan = restore.taken(store, first.number, RecordedCall("undo", "/"))
plan = plan.replace(steps=(*plan.steps, *plan.changed))
print("left", restore.undo(store, plan), (root / "a").read_text())
"""


def test_a_full_disk_refuses_and_damages_nothing(tmp_path: Path) -> None:
    """The store lies on a file system of 16 MB, which a mount namespace of its own has."""
    if confined.missing():
        pytest.skip(f"NOT TESTED without a sandbox: {confined.missing()}")
    root, state = tmp_path / "p", tmp_path / "state"
    root.mkdir()
    state.mkdir()
    (root / "a").write_text("precious")
    walls = confined.words(root)[:-1]
    mount = ["--size", str(16 << 20), "--tmpfs", str(state), "--"]
    command = [*walls, *mount, sys.executable, "-c", FULL, str(root), str(state)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_SECONDS)
    assert done.stdout.count("refused") == 3, done.stderr
    assert done.stdout.endswith("left [] precious\n")


MOUNTED = """
import sys
from execpolicy.undo.store import RecordedCall, Store
taken = Store(sys.argv[1]).take(RecordedCall("x", "/", needed=True))
print(taken.manifest.whole, *taken.manifest.unheld)
"""


def test_another_file_system_inside_makes_it_not_whole(tmp_path: Path) -> None:
    if confined.missing():
        pytest.skip(f"NOT TESTED without a sandbox: {confined.missing()}")
    root, state = tmp_path / "p", tmp_path / "state"
    (root / "disk").mkdir(parents=True)
    state.mkdir()
    walls = confined.words(state)[:-1]
    mount = ["--bind", str(root), str(root), "--tmpfs", str(root / "disk")]
    variable = ["--setenv", "XDG_STATE_HOME", str(state), "--"]
    command = [*walls, *mount, *variable, sys.executable, "-c", MOUNTED, str(root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_SECONDS)
    assert done.stdout == "False disk\n", done.stderr


def test_what_is_too_old_goes_and_what_was_needed_stays(tmp_path: Path) -> None:
    root = tmp_path / "p"
    root.mkdir()
    store = Store(str(root), Limits(size=1 << 20))
    needed = []
    for number in range(12):
        (root / "a").write_bytes(os.urandom(1 << 17))
        needed.append(number % 4 == 0)
        try:
            store.take(RecordedCall("x", "/", needed=number % 4 == 0))
        except UndoError:  # what was needed is kept, so that it is full
            break
    left = [one.call.needed for one in store.manifests()]
    assert left.count(True) == needed.count(True)
    assert store.size() <= 1 << 20
    with store.locked():
        assert store.prune(everything=True) > 0
    assert store.numbers() == []
    assert store.take(RecordedCall("x", "/")).manifest.number > len(left)
