"""A large index is searched by halves, and says what a whole reading of it says."""

import os
import subprocess
from pathlib import Path

import pytest

from execpolicy.places.disk import Disk
from execpolicy.places.repository import index_file, index_search, trees
from execpolicy.places.repository.index_file import Index
from execpolicy.places.repository.index_names import content, tracks
from execpolicy.places.repository.index_search import ask
from execpolicy.support.disk.repository import Repository

NAMES = [
    *("a", "a-b", "a.c", "b/a", "b/c", "b-/d", "b0", "ä/ö", "x" * 250, "z/" + "y" * 200 + "/w"),
    *(f"src/d{number % 30}/{'f' * (number % 9)}{number}.py" for number in range(900)),
]
ASKED = [
    *("a", "b", "b/c", "b/", "b-", "c", "src", "src/d", "src/d1", "src/d1/", "zz", "", "ä", "x"),
    *("src/d29/nothing", "z", "z/w", "0", "~", "x" * 250, "src/d3/fff3.py", "src/d3/fff3.p"),
]


def git(top: Path, *words: str, given: str = "") -> str:
    argv = ["git", "-C", str(top), *words]
    return subprocess.run(argv, input=given, check=True, capture_output=True, text=True).stdout


def repository(top: Path) -> Repository:
    return Repository(str(top), f"{top}/.git", f"{top}/.git")


@pytest.fixture(name="top", params=["2", "3", "4", "sha256", "a conflict", "no extensions"])
def top_(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    objects = "sha256" if request.param == "sha256" else "sha1"
    git(tmp_path, "init", "-q", f"--object-format={objects}")
    git(tmp_path, "config", "index.version", request.param if request.param == "4" else "2")
    for name in NAMES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    git(tmp_path, "add", "-A")
    if request.param == "3":
        git(tmp_path, "update-index", "--skip-worktree", "b/c", "src/d1/f1.py")
    if request.param == "a conflict":
        blob = git(tmp_path, "hash-object", "-w", "a").strip()
        stages = "".join(f"100644 {blob} {stage}\tb/b\n" for stage in (1, 2, 3))
        git(tmp_path, "update-index", "--index-info", given=stages)
    if request.param != "no extensions":
        git(tmp_path, "write-tree") if request.param != "a conflict" else None
    return tmp_path


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is searched is much larger than what is read of it at once."""
    monkeypatch.setattr(index_file, "LARGE", 1)
    monkeypatch.setattr(index_search, "_WINDOW", 1024)


def test_what_is_tracked_is_what_git_lists(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = repository(top)
    every = [name for name in git(top, "ls-files", "-z").split("\0") if name]
    asked = [*ASKED, *every[::7], *(f"{name}x" for name in every[::11])]
    index, path = Index(own.git), {name: str(top / name) for name in asked}
    found = {name: tracks(own, path[name], index, False) for name in asked}
    hashes = {name: content(own, path[name], index) for name in asked}
    compressed = Path(own.git, "index").read_bytes()[7] == 4  # there it counts as tracked
    assert found == {
        name: compressed
        or not name.strip("/")
        or any(each == name or each.startswith(name.rstrip("/") + "/") for each in every)
        for name in asked
    }
    monkeypatch.setattr(index_file, "LARGE", 1 << 40)
    assert found == {name: tracks(own, path[name], Index(own.git), False) for name in asked}
    assert hashes == {name: content(own, path[name], Index(own.git)) for name in asked}


def test_a_plain_index_is_not_read_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q")
    listed = "".join(f"100644 {'1' * 40} 0\td{n // 50:03}/f{n}\n" for n in range(5000))
    git(tmp_path, "update-index", "--index-info", given=listed)
    monkeypatch.setattr(index_file, "read", lambda *_: pytest.fail("it is read"))
    disk = Disk()
    for name, known in (("d001", True), ("d099/f4999", True), ("build", False), ("zz", False)):
        assert disk.tracks(str(tmp_path / name)) is known


@pytest.mark.parametrize("name", ["d1", "d2/f3"])
def test_more_below_a_directory_is_only_said_where_it_is_sure(tmp_path: Path, name: str) -> None:
    git(tmp_path, "init", "-q")
    listed = "".join(f"100644 {'1' * 40} 0\td{n % 4}/f{n}\n" for n in range(8000))
    git(tmp_path, "update-index", "--index-info", given=listed)
    directory, own = name.encode(), repository(tmp_path)
    wanted = {"d1": True, "d2/f3": False}[name]
    assert ask(own, lambda search: search.has_more(directory, 900)) is wanted
    assert ask(own, lambda search: search.has_more(b"", 7999)) is True
    assert ask(own, lambda search: search.has_more(b"", 8000)) is False


def test_a_tree_ends_early_only_where_it_has_many_entries_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index may name much that is not there."""
    git(tmp_path, "init", "-q")
    listed = "".join(f"100644 {'1' * 40} 0\tgone/f{n}\n" for n in range(30_000))
    git(tmp_path, "update-index", "--index-info", given=listed)
    (tmp_path / "src").mkdir()
    for number in range(40):
        (tmp_path / f"src/f{number}").touch()
    disk = Disk()
    assert disk.below(str(tmp_path), visible=True) is not None
    monkeypatch.setattr(trees, "MANY", 30)
    assert disk.below(str(tmp_path), visible=True) is None
    assert disk.below(str(tmp_path / "src"), visible=True) is not None
    git(tmp_path, "read-tree", "--empty")
    assert disk.below(str(tmp_path), visible=True) is not None


@pytest.mark.parametrize("more", [16, 22, 24])
def test_what_looks_like_an_entry_inside_of_one_is_none(tmp_path: Path, more: int) -> None:
    """The object name of a submodule is any, and so is what follows it in its name."""
    git(tmp_path, "init", "-q")
    names = [f"b/{n}" for n in range(500)] + [f"s/{n}" for n in range(500 + more)]
    listed = "".join(f"100644 {'1' * 40} 0\t{name}\n" for name in names)
    inside = "0 !" + "a" * 31
    listed += "".join(f"160000 000081a4{'1' * 32} 0\tm/{n:012}{inside}\n" for n in range(900))
    git(tmp_path, "update-index", "--index-info", given=listed)
    own = repository(tmp_path)
    found = [ask(own, lambda search, each=each: search.has(each)) for each in (b"b", b"m", b"s")]  # type: ignore[misc]
    assert found == [True, True, True]
    assert ask(own, lambda search: search.has(b"a")) is False


def test_object_names_of_another_length_are_not_read(tmp_path: Path) -> None:
    """Of ones that somebody chose, each entry has two names."""
    git(tmp_path, "init", "-q", "--object-format=sha256")
    chosen = [
        b"\1" * 20 + (312).to_bytes(2, "big") + b"%c%09d" % (b"Az"[n > 99], n) for n in range(200)
    ]
    listed = "".join(f"160000 {o.hex()} 0\tb/{n:0298}\n" for n, o in enumerate(chosen))
    git(tmp_path, "update-index", "--index-info", given=listed)
    assert ask(repository(tmp_path), lambda search: search.has(b"b")) is None
    assert tracks(repository(tmp_path), str(tmp_path / "b"), Index(f"{tmp_path}/.git"), False)


def test_what_is_no_plain_index_is_not_certain(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    index, own = tmp_path / ".git/index", repository(tmp_path)
    noise = bytes(range(256)) * 64
    head = b"DIRC\0\0\0\2\0\0\0\1"
    many = head + b"AAAA\0\0\0\0" * 100 + bytes(20)
    for data in (b"", b"DIRC", head, head[:8] + noise, noise, many):
        index.write_bytes(data)
        assert ask(own, lambda search: search.has(b"a")) is None
        assert not ask(own, lambda search: search.has_more(b"a", 0))
    index.unlink()
    os.mkfifo(index)
    assert ask(own, lambda search: search.has(b"a")) is None


def test_a_link_out_of_order_is_listed_all_the_same(tmp_path: Path) -> None:
    """`git ls-files` prints the entries of an index in the order that they have."""
    git(tmp_path, "init", "-q")
    blob = git(tmp_path, "hash-object", "-w", "--stdin", given="x").strip()
    listed = "".join(f"100644 {blob} 0\tf{n:04}\n" for n in range(1000))
    git(tmp_path, "update-index", "--index-info", given=listed)
    index = tmp_path / ".git/index"
    index.write_bytes(index.read_bytes().replace(b"f0500\0", b"a-key\0"))
    disk = Disk()
    assert disk.tracks(str(tmp_path / "a-key"), True)
    assert not disk.tracks(str(tmp_path / "b-key"), True)
