"""The index is read as git reads it."""

import hashlib
import subprocess
from itertools import product
from pathlib import Path

import pytest

from execpolicy.places.disk import Disk
from execpolicy.places.repository import index_file
from execpolicy.places.repository.index_file import Index
from execpolicy.policy.backups import LONG
from execpolicy.policy.name_patterns import LikeNames
from execpolicy.policy.name_search import NameSearch, PathNames
from execpolicy.support.disk import bounded
from execpolicy.support.path_match import NameKey, PathPattern
from tests.places.test_history import KEYS, Shelf


def git(root: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    argv = ["git", *identity, *words]
    return subprocess.run(argv, cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture(params=[("sha1", 2), ("sha1", 4), ("sha256", 2), ("sha256", 4)])
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    objects, version = request.param
    git(tmp_path, "init", "-q", f"--object-format={objects}")
    git(tmp_path, "config", "index.version", str(version))
    for name in ("a", "ab", "abc", "sub/d.txt", "sub/deeper/e", ".env", "ä ö", "x" * 100):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    git(tmp_path, "add", "-A")
    return tmp_path


def names(root: Path) -> tuple[str, ...] | None:
    return Index(str(root / ".git")).names


def listed(root: Path) -> set[str]:
    return {name for name in git(root, "ls-files", "-z").split("\0") if name}


def test_names_are_those_that_git_lists(root: Path) -> None:
    assert set(names(root) or ()) == listed(root)


@pytest.mark.parametrize("objects", ["sha1", "sha256"])
@pytest.mark.parametrize("change", ["nothing", "more flags", "unchanged", "a conflict"])
def test_names_of_many_entries(tmp_path: Path, objects: str, change: str) -> None:
    git(tmp_path, "init", "-q", f"--object-format={objects}")
    for number in range(300):
        (tmp_path / ("x" * (number % 9) + str(number))).write_text("x")
    git(tmp_path, "add", "-A")
    if change == "more flags":
        git(tmp_path, "update-index", "--skip-worktree", "9")
    if change == "unchanged":
        git(tmp_path, "update-index", "--assume-unchanged", "9")
    if change == "a conflict":
        blob = git(tmp_path, "hash-object", "-w", "9").strip()
        stages = "".join(f"100644 {blob} {stage}\tmixed\n" for stage in (1, 2, 3))
        argv = ["git", "update-index", "--index-info"]
        subprocess.run(argv, cwd=tmp_path, check=True, input=stages, text=True)
    assert set(names(tmp_path) or ()) == listed(tmp_path)


@pytest.mark.parametrize("count", [10, 300])
def test_an_entry_ends_where_its_flags_tell(tmp_path: Path, count: int) -> None:
    """Who goes by what looks like its end reads other entries than git does."""
    git(tmp_path, "init", "-q")
    (tmp_path / "d").mkdir()
    for name in ("a0", "d/.env", *(f"o{number:03}" for number in range(count))):
        (tmp_path / name).write_text("x")
    git(tmp_path, "add", "-A")
    path = tmp_path / ".git/index"
    data = bytearray(path.read_bytes()[:-20])
    data[76:89] = b"XXXXXXXX\0\0\0\0A"  # after the first name, and the times of the second entry
    data[112:116] = b"\0\0\x81\xa4"  # its user, which looks like a mode
    path.write_bytes(bytes(data) + hashlib.sha1(data).digest())  # noqa: S324
    assert "d/.env" in listed(tmp_path)
    assert names(tmp_path) is None


def test_names_of_entries_with_more_flags(root: Path) -> None:
    (root / "later").write_text("x")
    git(root, "add", "-N", "later")
    git(root, "update-index", "--skip-worktree", "a")
    assert set(names(root) or ()) == listed(root)


def test_names_of_all_stages_of_a_conflict(root: Path) -> None:
    blob = git(root, "hash-object", "-w", "a").strip()
    stages = "".join(f"100644 {blob} {stage}\tmixed\n" for stage in (1, 2, 3))
    argv = ["git", "update-index", "--index-info"]
    subprocess.run(argv, cwd=root, check=True, input=stages, text=True)
    assert set(names(root) or ()) == listed(root)


def test_what_is_no_index_is_not_known(root: Path) -> None:
    index = root / ".git/index"
    whole = index.read_bytes()
    for data in (b"", b"DIRC", whole[:40], b"XXXX" + whole[4:], whole[:8] + b"\xff" * 4):
        index.write_bytes(data)
        assert names(root) is None
    assert names(root / "nothing") is None


def test_a_split_index_is_not_known(root: Path) -> None:
    git(root, "update-index", "--split-index")
    assert names(root) is None


def test_what_of_a_large_index_is_like_a_key_is_kept_while_it_is_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf, read = Shelf(), bounded.read
    monkeypatch.setattr(index_file, "LARGE", 1)

    def found(keys: tuple[NameKey, ...] = KEYS) -> set[str]:
        listed = Disk(kept=lambda: shelf).tracked(str(root), keys)
        assert listed is not None
        return {name.removeprefix(f"{root}/") for name in listed}

    assert found() == {".env"}
    monkeypatch.setattr(index_file, "read", lambda *_: pytest.fail("it is read again"))
    assert found() == {".env"}
    monkeypatch.setattr(index_file, "read", read)
    assert found(()) == set()
    git(root, "mv", ".env", "sub/.env")
    assert found() == {"sub/.env"}
    assert Disk(kept=lambda: shelf).tracked(str(root / "sub"), KEYS) == (f"{root}/sub/.env",)
    assert Disk(kept=lambda: shelf).tracked(str(root / "sub/deeper"), KEYS) == ()


def test_of_a_small_index_nothing_is_kept(root: Path) -> None:
    shelf = Shelf()
    assert Disk(kept=lambda: shelf).tracked(str(root), KEYS) == (f"{root}/.env",)
    assert shelf.kept == {}


def test_submodules_of_a_large_index_are_kept_while_it_is_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf, read = Shelf(), bounded.read
    monkeypatch.setattr(index_file, "LARGE", 1)

    def found() -> tuple[str, ...] | None:
        return Disk(kept=lambda: shelf).gitlinks(str(root))

    assert found() == ()
    monkeypatch.setattr(index_file, "read", lambda *_: pytest.fail("it is read again"))
    assert found() == ()
    monkeypatch.setattr(index_file, "read", read)
    commit = "1" * len(git(root, "hash-object", "a").strip())
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    assert found() == (f"{root}/module",)


ENDS = ("", *LONG[::3], "~", "#", ".2", " (1)", ". ")
NAMES = [
    "".join(parts)
    for parts in product(
        ("", "#", ".#", ".", "a/", "\\"),
        (".env", "key", "a", "a.json", "b.tfvars", "\u212aey", "", "."),
        ENDS,
        ("", *LONG[:2]),
        ("", ".json", ".env", "/x"),
    )
    if any(parts)
]


@pytest.mark.parametrize(
    "pattern", ["*.json", "**/.env", ".*", "*.tfvars.json", "*a.json*", "k*", "a.json", "*", "*k*y"]
)
def test_no_name_like_a_key_is_passed_over_in_a_text(pattern: str) -> None:
    keys = [PathPattern(pattern).name_key]
    like = NameSearch(keys).among(PathNames(NAMES))
    assert not {*like}.difference(
        name.decode() for name in LikeNames(keys).possible([*map(str.encode, NAMES)])
    )
