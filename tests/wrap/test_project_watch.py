"""What a session's watch tells of a project is all that changed: its snapshots are those of one
that reads everything."""

import mmap
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from execpolicy.undo.entry import MTIME
from execpolicy.undo.scan import is_of_objects
from execpolicy.undo.store import RecordedCall, Store
from execpolicy.wrap.kept import watch as project_watch
from execpolicy.wrap.kept.watch import ProjectWatch
from tests.undo.worlds import sh

CALL = RecordedCall("x", "/")


def is_generated(path: str) -> bool:
    return path.endswith("/build")


class Both:
    """A store with a watch beside one that reads everything."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.watch = ProjectWatch(str(root))
        self.watched = Store(str(root), watch=self.watch)

    def same(self, monkeypatch: pytest.MonkeyPatch, *, full: bool) -> bool:
        seen = self.watched.take(CALL, is_generated, full=full).manifest
        with monkeypatch.context() as patch:
            patch.setenv("XDG_STATE_HOME", str(self.root.parent / "other"))
            store = Store(str(self.root))
        whole = store.take(CALL, is_generated, full=full).manifest
        if not full:
            return seen.root[:-1] == whole.root[:-1]
        trees = [
            _tree(s, m.root, str(self.root)) for s, m in ((self.watched, seen), (store, whole))
        ]
        return trees[0] == trees[1] and seen.unheld == whole.unheld


def _tree(store: Store, one: tuple[str | int, ...], path: str) -> object:
    """All that an undo brings back of an entry. The time of an object of git, which is never
    written with other content, may be that of an earlier writing."""
    if one[0] == "f":
        return (*one[: MTIME + (not is_of_objects(os.path.dirname(path)))], one[-1])
    if one[0] != "d":
        return one[:2]
    below = store.listing(one).items()
    return one[:-1], {name: _tree(store, each, f"{path}/{name}") for name, each in below}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "p"
    for path in ("a/b/c", "d/e", "build/x", ".git/objects/ab", "empty"):
        (root / path).mkdir(parents=True)
    for path in ("a/1", "a/b/2", "a/b/c/3", "d/4", "d/e/5", "build/x/6", "7", ".git/objects/ab/8"):
        (root / path).write_text(path)
    (root / "link").symlink_to("a")
    (tmp_path / "outside/deep").mkdir(parents=True)
    (tmp_path / "outside/deep/9").write_text("9")
    return root


def _mapped(path: Path) -> None:
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 1) as mapped:
        mapped[0:1] = b"m"


@pytest.fixture
def both(project: Path) -> Iterator[Both]:
    made = Both(project)
    yield made
    made.watch.close()


STEPS: tuple[tuple[str, Callable[[Path], object]], ...] = (
    ("write", lambda p: (p / "a/b/2").write_text("written")),
    ("write the same", lambda p: (p / "a/1").write_text("a/1")),
    ("make", lambda p: (p / "d/new").write_text("new")),
    ("make below", lambda p: sh("mkdir -p n/o/p && echo x > n/o/p/q", p)),
    ("remove", lambda p: (p / "d/4").unlink(missing_ok=True)),
    ("remove a tree", lambda p: shutil.rmtree(p / "a/b", ignore_errors=True)),
    ("rename a directory", lambda p: sh("mv a z; echo x > z/moved; echo y > z/b/2", p)),
    ("swap directories", lambda p: sh("mv a t; mv d a; mv t d; echo x > a/x; echo y > d/b/y", p)),
    ("move in", lambda p: sh("mv ../outside/deep in; echo x > in/x; mkdir in/more", p)),
    ("move out", lambda p: sh("mv d ../outside/d; echo x > ../outside/d/x", p)),
    ("make anew", lambda p: sh("rm -rf a; mkdir -p a/b; echo new > a/b/2", p)),
    ("mode", lambda p: sh("chmod 700 a; chmod 600 7", p)),
    ("link", lambda p: sh("ln -sfn d link; ln -s x d/l", p)),
    ("file in the place of a directory", lambda p: sh("rm -rf empty; echo x > empty", p)),
    ("directory in the place of a file", lambda p: sh("rm 7; mkdir 7; echo x > 7/y", p)),
    ("map", lambda p: _mapped(p / "7")),
    ("give another name", lambda p: sh("ln 7 a/same", p)),
    ("write by another name", lambda p: (p / "a/same").write_text(os.urandom(4).hex())),
    ("what is left out", lambda p: sh("echo x > build/x/6; mkdir -p build/y/z", p)),
    ("an object", lambda p: (p / ".git/objects/ab/10").write_text("10")),
    ("what is not held", lambda p: sh("truncate -s 1T huge", p)),
    ("what was not held", lambda p: (p / "huge").unlink(missing_ok=True)),
    ("a pipe", lambda p: sh("mkfifo pipe", p)),
)


@pytest.mark.parametrize(("what", "step"), STEPS, ids=[what for what, _ in STEPS])
def test_a_change_is_told(
    project: Path,
    both: Both,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    step: Callable[[Path], object],
) -> None:
    assert both.same(monkeypatch, full=True)
    assert both.watch.known is not None
    step(project)
    assert both.same(monkeypatch, full=True)


def _rows(both: Both, monkeypatch: pytest.MonkeyPatch, seed: int, length: int) -> None:
    drawn = random.Random(seed)  # noqa: S311
    for _ in range(length):
        for _, step in drawn.choices(STEPS, k=drawn.randint(1, 4)):
            try:
                step(both.root)
            except (OSError, ValueError):  # an earlier step made something else of it
                continue
        full = drawn.random() < 0.7
        assert both.same(monkeypatch, full=full)
    assert both.same(monkeypatch, full=True)


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_changes_are_told(both: Both, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    _rows(both, monkeypatch, seed, 8)


@pytest.mark.rest
@pytest.mark.parametrize("seed", range(100, 300))
def test_long_rows_of_changes_are_told(
    both: Both, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    _rows(both, monkeypatch, seed, 25)


def test_what_nobody_touched_is_not_read(
    project: Path, both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    both.same(monkeypatch, full=True)
    (project / "a/b/2").write_text("x")
    scan = both.watched.take(CALL, is_generated, full=True).scan
    assert {*scan.found} == {"", "a", "a/b"}


def test_removed_files_are_counted(project: Path, both: Both) -> None:
    both.watched.take(CALL, full=True)
    assert both.watch.removed() == 0
    sh("rm -rf a; mv d/e ../e; rm 7 link; echo x > made; rm made; rm -rf .git", project)
    assert both.watch.removed() == 6


@pytest.mark.parametrize("why", ["no room", "too many events", "no such file system", "refused"])
def test_without_a_watch_everything_is_read(
    project: Path, both: Both, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    if why == "no such file system":
        monkeypatch.setattr(project_watch, "LOCAL", frozenset())
    if why == "refused":
        monkeypatch.setattr(project_watch, "call", _refused)
    if why == "no room":
        monkeypatch.setattr(ProjectWatch, "_enter", _no_room)
    assert both.same(monkeypatch, full=True)
    if why == "too many events":
        both.watch._take(project_watch._EVENT.pack(-1, project_watch.OVERFLOW, 0, 0))
    (project / "a/1").write_text("x")
    assert both.same(monkeypatch, full=True)
    assert both.watch.removed() == (0 if why == "too many events" else None)


def _refused(*_arguments: object) -> int:
    raise OSError("refused")


def _no_room(watch: ProjectWatch, _descriptor: int, _path: str) -> None:
    watch._gave_up = True


def test_objects_that_were_pruned_are_read_again(
    project: Path, both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    both.same(monkeypatch, full=True)
    other = Store(str(project))
    with other.locked():
        other.prune(everything=True)
    taken = both.watched.take(CALL, full=True)
    digest = str(taken.scan.found["a"][1]["1"][-1])  # type: ignore[index]
    assert both.watched.objects.get(digest) == b"a/1"


def test_what_is_written_by_another_name_is_told(
    project: Path, both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    both.same(monkeypatch, full=True)
    (project / "a/same").hardlink_to(project / "7")
    assert both.same(monkeypatch, full=True)
    (project / "a/same").write_text("x")
    assert both.same(monkeypatch, full=True)
