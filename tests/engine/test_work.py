"""What one decision may do, counted: paths that are classed, looks at the disk, bytes of an index.

Nothing here depends on how fast a machine is. What a command touches may have a hundred files or
thousands: their directories are looked at, and what each file is called, but none is worked on.
"""

import gc
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.places.asked import Asked
from execpolicy.places.moment import CachedResolver, Question
from execpolicy.places.repository import index_file, trees
from execpolicy.policy.place_index import PlaceIndex
from execpolicy.support.disk import bounded
from tests.repositories import new_repository

FEW, MANY = 30, 600
GROWING = (
    "git diff",
    "git log -p -3",
    "git grep -n x",
    "wc -l $(git ls-files '*.py')",
    "grep -rn x src",
    "rg x",
    "find . -name '*.py' | xargs grep x",
    "cat $f",
    "git ls-files | xargs wc -l",
    "git stash show -p",
)
EVERYDAY = (
    "git status",
    "ls -la src",
    "cat src/d0/f0.py | head -20",
    "git log --oneline -5",
    "npm test",
    "sed -n 1,20p src/d1/f1.py",
    "mkdir -p build && cp src/d0/f0.py build/",
    "python3 -m pytest -q tests",
    "git add -A && git commit -m done",
    "rm -rf build",
)
MAX_CLASSED = 2
"""Paths of an everyday text that are held against the classes, on average."""
MAX_LOOKS = 10
"""Questions about the machine, on average."""
DEPTH = 120


class Work:
    """What was done since it was made or begun anew."""

    def __init__(self) -> None:
        self.classed = 0
        self.read = 0
        self.listed = 0
        self.asked: list[dict[Question, object]] = []

    @property
    def looks(self) -> set[Question]:
        """The questions about the machine."""
        return set().union(*self.asked)


@pytest.fixture(name="work")
def work_(monkeypatch: pytest.MonkeyPatch) -> Work:
    work = Work()
    classed, made, read = PlaceIndex.of, Asked.__init__, bounded.read

    def of(self: PlaceIndex, path: str, home: str | None, root: str | None) -> list[object]:
        work.classed += 1
        return classed(self, path, home, root)  # type: ignore[return-value]

    def make(self: Asked, moment: CachedResolver) -> None:
        made(self, moment)
        work.asked.append(self.questions)

    def reading(path: str, limit: int) -> bytes | None:
        found = read(path, limit)
        work.read += len(found or b"") if path.endswith("/index") else 0
        return found

    monkeypatch.setattr(PlaceIndex, "of", of)
    monkeypatch.setattr(Asked, "__init__", make)
    monkeypatch.setattr("execpolicy.places.repository.index_file.read", reading)
    entries = trees._entries

    def listing(directory: str, limit: int) -> list[os.DirEntry[str]]:
        found = entries(directory, limit)
        work.listed += len(found)
        return found

    monkeypatch.setattr(trees, "_entries", listing)
    return work


def _project(top: Path, files: int) -> Path:
    new_repository(top)
    for number in range(files):
        file = top / f"src/d{number % 5}/f{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    subprocess.run(["git", "-C", str(top), "add", "."], check=True)
    return top


def _done(text: str, top: Path, work: Work) -> Work:
    """What it takes to decide about a text that was never seen."""
    engine = Engine.load(cwd=str(top))
    engine.check("true", cwd=str(top))
    work.__init__()  # type: ignore[misc]
    engine.check(text, cwd=str(top))
    return work


@pytest.mark.parametrize("text", GROWING)
def test_files_that_are_like_nothing_are_not_classed(text: str, tmp_path: Path, work: Work) -> None:
    few, many = _project(tmp_path / "few", FEW), _project(tmp_path / "many", MANY)
    done = _done(text, few, work)
    classed, looks = done.classed, len(done.looks)
    done = _done(text, many, work)
    assert done.classed <= classed + 2
    assert len(done.looks) <= looks + 2


@pytest.mark.parametrize("text", GROWING)
def test_an_index_is_read_a_few_times(text: str, tmp_path: Path, work: Work) -> None:
    top = _project(tmp_path / "many", MANY)
    size = (top / ".git/index").stat().st_size
    assert _done(text, top, work).read <= 2 * size  # once to take it apart, once for submodules


def test_everyday_texts_ask_about_little(tmp_path: Path, work: Work) -> None:
    top = _project(tmp_path / "few", FEW)
    done = [(one.classed, len(one.looks)) for one in (_done(t, top, work) for t in EVERYDAY)]
    assert sum(classed for classed, _ in done) <= MAX_CLASSED * len(done)
    assert sum(looks for _, looks in done) <= MAX_LOOKS * len(done)


def test_a_decision_leaves_the_collector_nothing(tmp_path: Path) -> None:
    """What it looked at holds on to itself nowhere, so that its memory is free at once."""
    top = _project(tmp_path / "few", FEW)
    engine = Engine.load(cwd=str(top))
    for text in EVERYDAY:
        engine.check(text, cwd=str(top))
    gc.collect()
    gc.disable()
    try:
        for text in EVERYDAY:
            engine.check(text + " ", cwd=str(top))
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.fixture(name="huge", scope="module")
def huge_(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of more tracked files than are looked at, of which some are there."""
    top = _project(tmp_path_factory.mktemp("huge"), 1500)
    listed = "".join(f"100644 {'1' * 40} 0\tsrc/e{n // 100:03}/f{n}.py\n" for n in range(60_000))
    argv = ["git", "-C", str(top), "update-index", "--index-info"]
    subprocess.run(argv, input=listed, check=True, text=True)
    return top


@pytest.mark.parametrize(
    "text",
    [
        *("grep -rn x .", "grep -rn x src", "rg x", "cp -r src copied", "tar czf x.tgz src"),
        *("find . -name '*.py' | xargs grep x", "find . -type f -exec grep -l x {} +"),
    ],
)
def test_a_tree_that_is_too_large_is_not_listed(text: str, huge: Path, work: Work) -> None:
    """Its index says so, after some entries that are there."""
    done = _done(text, huge, work)
    assert done.listed <= 2 * (trees.MANY + 300)  # what is visible, and all
    assert done.read == 0


@pytest.mark.parametrize("text", ["rm -rf build", "rm -rf src/d1", "rm src/d1/f1.py", "echo > b"])
def test_a_name_is_looked_up_in_a_large_index(text: str, huge: Path, work: Work) -> None:
    assert (huge / ".git/index").stat().st_size > index_file.LARGE
    assert _done(text, huge, work).read == 0


@pytest.mark.parametrize("text", ["git status", "git diff", "rm -rf build", "git commit -m x"])
def test_above_a_deep_directory_all_is_looked_at_once(
    text: str, tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by the first decision of a process."""
    top = _project(tmp_path / "deep", 1)
    below = top.joinpath(*["d"] * DEPTH)
    below.mkdir(parents=True)
    looked = [0]
    for name in ("stat", "lstat", "readlink"):
        call = getattr(os, name)

        def counted(*given: object, _call: Callable[..., object] = call, **more: object) -> object:
            looked[0] += 1
            return _call(*given, **more)

        monkeypatch.setattr(os, name, counted)
    Engine.load(cwd=str(top)).check(text, cwd=str(top))
    shallow, looked[0] = looked[0], 0
    Engine.load(cwd=str(below)).check(text, cwd=str(below))
    assert looked[0] <= shallow + 5 * DEPTH


@pytest.mark.parametrize("text", ["git status", "cat a.txt", "sed -i s/a/b/ a.txt"])
def test_a_deep_directory_takes_a_few_looks_a_level(text: str, tmp_path: Path, work: Work) -> None:
    top = _project(tmp_path / "deep", 1)
    below = top.joinpath(*["d"] * DEPTH)
    below.mkdir(parents=True)
    assert len(_done(text, below, work).looks) <= len(_done(text, top, work).looks) + 3
