"""A large index that changed is read where it changed, and says what a whole reading of it says."""

import random
import subprocess
from pathlib import Path

import pytest

from execpolicy.places.repository import index_blocks, index_file, index_search
from execpolicy.places.repository.index_file import Index, gitlinks, matching
from execpolicy.policy.name_patterns import LikeNames
from execpolicy.support.disk.repository import Repository
from tests.places.test_history import KEYS, Shelf

FILES = [f"src/d{n % 20:02}/{'f' * (n % 9)}{n}.py" for n in range(600)]
CHANGES = [
    ("rm", "-rq", "--cached", "src/d03"),
    ("rm", "-rq", "--cached", "src/d00", "src/d19"),
    ("mv", "src/d05", "src/.env"),
    ("mv", "src/.env", "zz"),
    ("add", "-A"),
    ("commit", "-qm", "x"),
    ("reset", "-q", "--hard", "HEAD~1"),
    ("update-index", "--skip-worktree", "src/d07/fffffff7.py"),
    ("update-index", "--no-skip-worktree", "src/d07/fffffff7.py"),
    ("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},src/d08/sub"),
    ("update-index", "--force-remove", "src/d08/sub"),
    ("rm", "-rq", "--cached", "."),
]


def git(top: Path, *words: str, given: str = "") -> str:
    argv = ["git", "-C", str(top), "-c", "user.name=a", "-c", "user.email=a@b", *words]
    return subprocess.run(argv, input=given, check=True, capture_output=True, text=True).stdout


def write(top: Path, *names: str) -> None:
    for name in names:
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name * (2 if path.exists() else 1))


@pytest.fixture(name="own")
def own_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with an index of many blocks."""
    git(tmp_path, "init", "-q")
    write(tmp_path, *FILES)
    for message in ("one", "two"):
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", message)
        write(tmp_path, "src/d09/.env")
    monkeypatch.setattr(index_file, "LARGE", 1)
    monkeypatch.setattr(index_blocks, "SIZE", 1 << 11)
    monkeypatch.setattr(index_search, "_WINDOW", 1 << 10)
    return Repository(str(tmp_path), f"{tmp_path}/.git", f"{tmp_path}/.git")


def found(own: Repository, shelf: Shelf | None) -> tuple[str, ...] | None:
    return matching(own, Index(own.git), KEYS, lambda: shelf)


def whole(own: Repository, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...] | None:
    with monkeypatch.context() as patch:
        patch.setattr(index_file, "LARGE", 1 << 40)
        return found(own, None)


@pytest.mark.parametrize("seed", range(4))
def test_what_changed_is_read_anew(
    own: Repository, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf, order = Shelf(), random.Random(seed)  # noqa: S311
    top = Path(own.top)
    for change in order.sample(CHANGES, len(CHANGES)):
        write(top, f"src/d{order.randrange(20):02}/{order.choice(('.env', 'key', 'a'))}")
        try:
            git(top, "add", "src")
            git(top, *change)
        except subprocess.CalledProcessError:
            continue
        assert found(own, shelf) == whole(own, monkeypatch)


def test_blocks_that_are_the_same_are_not_searched(
    own: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf, searched = Shelf(), list[int]()

    def among(self: LikeNames, paths: list[bytes]) -> tuple[str, ...]:
        searched.append(len(paths))
        return tuple(path.decode() for path in paths if b".env" in path)

    monkeypatch.setattr(LikeNames, "among", among)
    assert found(own, shelf) == ("src/d09/.env",)
    assert sum(searched) == 601
    top = Path(own.top)
    for changed in ("src/d02/f20.py", "src/d18/.env", "a"):
        searched.clear()
        write(top, changed)
        git(top, "add", "-A")
        assert found(own, shelf) is not None
        assert 0 < sum(searched) < 90
    assert found(own, shelf) == ("src/d09/.env", "src/d18/.env")


def test_a_tree_of_the_same_name_has_other_entries(
    own: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the names of trees that git keeps in an index say nothing of its entries."""
    top = Path(own.top)
    git(top, "rm", "-q", "--cached", "src/d09/.env")
    without = git(top, "write-tree").strip()
    shelf = Shelf()
    assert found(own, shelf) == ()
    git(top, "add", "-A")
    git(top, "replace", without, git(top, "write-tree").strip())
    git(top, "read-tree", without)
    git(top, "replace", "-d", without)
    assert bytes.fromhex(without) in Path(own.git, "index").read_bytes()
    assert found(own, shelf) == whole(own, monkeypatch) == ("src/d09/.env",)


def test_damaged_bytes_are_read_as_a_whole(
    own: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf, chance = Shelf(), random.Random(0)  # noqa: S311
    path = Path(own.git, "index")
    data = path.read_bytes()
    for _ in range(150):
        found(own, shelf)
        at, size = chance.randrange(len(data)), chance.choice((1, 8, 72))
        put = chance.choice((b"", b"\0" * size, b".env/"[:size], data[:size]))
        path.write_bytes(data[:at] + put + data[at + size * chance.randrange(2) :])
        assert found(own, shelf) == whole(own, monkeypatch)
    path.write_bytes(data)
    assert found(own, shelf) == ("src/d09/.env",)


@pytest.mark.parametrize("at", [0, 1, 2, 4, 7, 8, 15])
def test_a_mode_stands_where_entries_have_theirs(
    own: Repository, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In other places it is a part of an object name, say, and no reason to read all."""
    top, mode = Path(own.top), "0000e000"
    blob = "1" * 2 * at + mode + "1" * (32 - 2 * at)
    git(top, "update-index", "--index-info", given=f"100644 {blob} 0\tsrc/d08/z\n")
    with monkeypatch.context() as patch:
        if at % 8:
            patch.setattr(index_file, "read", lambda *_: pytest.fail("it is read"))
        assert gitlinks(own, Index(own.git)) == ()
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{blob},sub")
    assert gitlinks(own, Index(own.git)) == ("sub",)
