"""One look for several decisions: what a moment says is what the disk says, and it looks once."""

import os
import random
from pathlib import Path

import pytest

from execpolicy.places import moment as moments
from execpolicy.places.asked import Asked
from execpolicy.places.disk import Disk
from execpolicy.places.moment import CachedResolver
from execpolicy.support.disk.repository import Repository, find
from tests.places.machine import Machine
from tests.places.trees import path_in, plant


@pytest.mark.parametrize("seed", range(40))
def test_a_moment_says_what_the_disk_says(seed: int, tmp_path: Path) -> None:
    """Whatever was asked before: links, loops, `..`, what is missing, names of any bytes."""
    rng = random.Random(seed)  # noqa: S311
    plant(tmp_path, rng)
    moment = CachedResolver(Disk())
    for _ in range(150):
        path, follow = path_in(tmp_path, rng), rng.random() < 0.7
        for each in (path, os.path.normpath(path), os.path.dirname(path), f"{path}/.git"):
            asked = Asked(moment)
            assert asked.locate(each, follow) == Disk().locate(each, follow), (each, follow)
            assert asked.kind(each) == Disk().kind(each), each
            assert asked.repository(each, True) == find(each, Disk()), each


ODD = {
    "a process's own": "/proc/self/cwd/a",
    "a device": "/dev/fd/0",
    "two slashes": "//tmp/a",
    "no path": "a\0b",
    "a lone surrogate": "/tmp/\ud800",
    "a name that is too long": "/missing/" + "a" * 300,
    "below what is missing": "/missing/a/b/c",
    "below a file": "/etc/passwd/a/b",
    "the root": "/",
    "a dot": "/etc/./passwd",
    "a slash after a file": "/etc/passwd/",
    "back from what is missing": "/missing/../etc",
}


@pytest.mark.parametrize("path", ODD.values(), ids=ODD)
@pytest.mark.parametrize("follow", [True, False])
def test_paths_that_no_tree_has(path: str, follow: bool) -> None:
    asked = Asked(CachedResolver(Disk()))
    for known in ("/", "/etc", "/etc/passwd", "/missing", path):
        asked.locate(known)
    assert asked.locate(path, follow) == Disk().locate(path, follow)
    assert asked.kind(path) == Disk().kind(path)


def test_a_question_is_asked_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    moment = CachedResolver(Disk())
    first, second = Asked(moment), Asked(moment)
    place = first.locate(f"{tmp_path}/a")
    (tmp_path / "a").unlink()
    (tmp_path / "a").symlink_to("/etc/shadow")
    assert second.locate(f"{tmp_path}/a") is place
    assert Asked(CachedResolver(Disk())).locate(f"{tmp_path}/a").real == "/etc/shadow"
    moment.end()
    assert second.locate(f"{tmp_path}/a") is place  # its own decision goes on with what it saw
    assert Asked(moment).locate(f"{tmp_path}/a").real == "/etc/shadow"


def test_each_decision_has_its_own_questions() -> None:
    moment = CachedResolver(Disk())
    first, second = Asked(moment), Asked(moment)
    first.kind("/etc")
    second.locate("/etc")
    assert [*first.questions] == [("kind", ("/etc",))]
    assert [*second.questions] == [("locate", ("/etc", True))]


def test_what_a_moment_keeps_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "MAX_ANSWERS", 10)
    moment = CachedResolver(Disk())
    for number in range(100):
        moment.answer(("kind", (f"/missing/{number}",)))
        moment.answer(("locate", (f"/missing/{number}", True)))
    assert len(moment._answers) <= 10
    assert len(moment._itself) <= 12


def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are looked at from here on."""
    found: list[str] = []
    for name in ("stat", "lstat", "open", "readlink"):
        before = getattr(os, name)

        def noted(path: str, *more: int, _before: object = before, **named: int) -> object:
            found.append(path)
            return _before(path, *more, **named)  # type: ignore[operator]

        monkeypatch.setattr(os, name, noted)
    return found


def test_what_lies_together_is_looked_at_name_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src").mkdir()
    asked = Asked(CachedResolver(Disk()))
    asked.locate(str(tmp_path))
    seen = looks(monkeypatch)
    for name in ("src", "src/a", "src/b", "none/a", "none/b"):
        asked.locate(f"{tmp_path}/{name}")
        asked.kind(f"{tmp_path}/{name}/.git")
    below = [path.removeprefix(f"{tmp_path}/") for path in seen]
    assert below == ["src", "src/.git", "src/a", "src/b", "none"]


def test_a_repository_is_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git, inside = tmp_path / ".git", tmp_path / "a" / "b"
    for path in (git / "objects", git / "refs", inside):
        path.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    asked = Asked(CachedResolver(Disk()))
    found = asked.repository(str(inside), False)
    assert found == Repository(str(tmp_path), str(git), str(git))
    seen = looks(monkeypatch)
    assert asked.repository(f"{inside}/c", False) == found
    assert asked.repository(f"{tmp_path}/a/d", False) == found
    assert seen == [f"{inside}/c/.git", f"{tmp_path}/a/d/.git"]


def test_of_another_machine_nothing_is_told_by_the_way_up() -> None:
    deep = "/p" + "/n" * 50
    assert Asked(CachedResolver(Machine())).marked(deep, (".hg",)) is None
