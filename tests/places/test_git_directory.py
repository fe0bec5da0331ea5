"""What git takes a directory for a git directory by, compared with git itself."""

import os
import subprocess
from pathlib import Path

import pytest

from execpolicy.places.disk import Disk
from execpolicy.places.moment import CachedResolver
from execpolicy.support.disk import repository as repositories
from execpolicy.support.disk.repository import MARKS, find, is_laid_out, marked, search, top
from tests.repositories import new_repository

HEAD = "echo ref: refs/heads/m > HEAD"
REST = "mkdir -p ../y/objects ../y/refs"
ALIKE = [
    ("nothing", "true"),
    ("the layout", f"{HEAD}; mkdir objects refs"),
    ("no HEAD", "mkdir objects refs"),
    ("no objects", f"{HEAD}; mkdir refs"),
    ("no refs", f"{HEAD}; mkdir objects"),
    ("a HEAD of a commit", "git hash-object -t tree /dev/null > HEAD; mkdir objects refs"),
    ("a HEAD that leads to no commit yet", "ln -s refs/heads/m HEAD; mkdir objects refs"),
    ("programs in the place of directories", f"{HEAD}; touch objects refs; chmod +x objects refs"),
    ("links in their place", f"{HEAD}; {REST}; ln -s ../y/objects ../y/refs ."),
    ("a common directory", f"{HEAD}; {REST}; echo ../y > commondir"),
    ("one that is not a repository", f"{HEAD}; mkdir objects refs; echo ../y > commondir"),
    ("one without objects", f"{HEAD}; mkdir -p ../y/refs; echo ../y > commondir"),
    ("one that is there already", f"{HEAD}; {REST}; mkdir objects refs; echo ../y > commondir"),
    ("its whole path", f"{HEAD}; {REST}; (cd ..; printf %s/y $PWD) > commondir"),
    ("more lines", f"{HEAD}; {REST}; printf '../y\\r\\n\\n' > commondir"),
    ("a NUL", f"{HEAD}; {REST}; printf '../y\\0z' > commondir"),
    ("a link on the way", f"{HEAD}; {REST}; ln -s ../y/refs l; echo l/.. > commondir"),
    ("no HEAD beside it", f"{REST}; echo ../y > commondir"),
    ("a directory", f"mkdir .git; cd .git; {HEAD}; mkdir objects refs"),
    ("a directory with a common one", f"mkdir .git; cd .git; {HEAD}; {REST}; echo ../../y > "
     "commondir; mv ../y ../.."),
    ("a file", f"{HEAD}; {REST}; mv HEAD ../y; echo gitdir: ../y > .git"),
    ("a file with a NUL", f"{HEAD}; {REST}; mv HEAD ../y; printf 'gitdir: ../y\\0z' > .git"),
    ("a file through a link", f"{HEAD}; {REST}; mv HEAD ../y; ln -s ../y/refs l; "
     "echo gitdir: l/.. > .git"),
    ("a file with a common directory", f"mkdir g; echo ../../y > g/commondir; {HEAD}; mv HEAD g; "
     f"{REST}; echo gitdir: g > .git"),
    ("a link", f"mkdir g; cd g; {HEAD}; mkdir objects refs; cd ..; ln -s g .git"),
    ("an empty directory", "mkdir .git"),
    ("a link to nothing", "ln -s g .git"),
    ("a device", "ln -s /dev/null .git"),
]  # fmt: skip
STRICTER = [
    ("a HEAD of nothing", "echo x > HEAD; mkdir objects refs"),
    ("a HEAD that leads elsewhere", f"{HEAD}; mv HEAD h; ln -s h HEAD; mkdir objects refs"),
    ("files in the place of directories", f"{HEAD}; touch objects refs"),
]


def made(base: Path, text: str) -> Path:
    """An empty directory in an outer repository, after a script ran there."""
    subprocess.run(["git", "init", "-q", str(base / "w")], check=True)
    (base / "w/d").mkdir()
    subprocess.run(["bash", "-ec", text], cwd=base / "w/d", check=True)
    return base / "w/d"


def by_git(directory: Path) -> tuple[str, str] | None:
    """The git directory that git finds, and the one in common."""
    words = ["git", "rev-parse", "--absolute-git-dir", "--git-common-dir"]
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True)
    if done.returncode:
        return None
    own, common = done.stdout.splitlines()
    return os.path.realpath(own), os.path.realpath(directory / common)


def top_by_git(directory: Path) -> str:
    """The directory whose `.git` git finds from one in which it finds any."""
    if os.path.isfile(directory / ".git"):
        return str(directory)  # git goes no further up, whatever the file says
    words = ["git", "rev-parse", "--show-toplevel"]
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True)
    return done.stdout.strip() or str(directory.parent)  # a directory that is itself one


def by_us(directory: Path) -> tuple[str, str] | None:
    found = find(str(directory), Disk())
    assert found == CachedResolver(Disk()).repository(str(directory), True)
    return (os.path.realpath(found.git), os.path.realpath(found.common)) if found else None


@pytest.mark.parametrize(("what", "text"), ALIKE, ids=[what for what, _ in ALIKE])
def test_it_is_what_git_finds(tmp_path: Path, what: str, text: str) -> None:
    directory = made(tmp_path, text)
    known = by_git(directory)
    assert known is None or by_us(directory) == known
    assert top(str(directory)) == top_by_git(directory)
    if known is not None and known[0] == str(directory):
        assert is_laid_out(os.listdir(directory))


@pytest.mark.parametrize(("what", "text"), STRICTER, ids=[what for what, _ in STRICTER])
def test_what_git_does_not_take_may_become_one(tmp_path: Path, what: str, text: str) -> None:
    directory = made(tmp_path, text)
    assert by_git(directory) == (str(tmp_path / "w/.git"),) * 2
    assert by_us(directory) == (str(directory),) * 2
    inside = directory / ".git"
    inside.mkdir()
    for name in os.listdir(directory):
        if name != ".git":
            os.rename(directory / name, inside / name)
    assert top(str(directory)) == top_by_git(directory) == str(tmp_path / "w")


def test_a_file_and_what_cannot_be_looked_at_end_the_search(tmp_path: Path) -> None:
    new_repository(tmp_path)
    for name, text in (("loop", "ln -s .git .git"), ("file", "echo x > .git")):
        (tmp_path / name).mkdir()
        subprocess.run(["bash", "-ec", text], cwd=tmp_path / name, check=True)
        assert top(str(tmp_path / name)) == str(tmp_path / name)


@pytest.mark.parametrize(("what", "text"), ALIKE + STRICTER, ids=[w for w, _ in ALIKE + STRICTER])
def test_it_is_found_from_far_below(
    tmp_path: Path, what: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = made(tmp_path, text).joinpath(*["n"] * repositories.MIN_DEPTH)
    inside.mkdir(parents=True)
    deep = str(inside)
    assert marked(deep, MARKS) is not None
    known, every = CachedResolver(Disk()), (True, False)
    found = [known.repository(deep, bare) for bare in every]
    ends = top(deep)
    monkeypatch.setattr(repositories, "MIN_DEPTH", 1 << 20)
    assert marked(deep, MARKS) is None
    assert found == [search(deep, Disk(), bare, {}) for bare in every]
    assert ends == top(deep)


@pytest.mark.parametrize("depth", [repositories.MIN_DEPTH, repositories.MAX_LEVELS + 10])
def test_the_way_up_is_gone_once_a_moment(
    tmp_path: Path, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path.joinpath(*["n"] * depth)
    deep.mkdir(parents=True)
    ways = list[str]()
    monkeypatch.setattr(repositories, "marked", lambda path, _names: ways.append(path))
    monkeypatch.setattr(Disk, "marked", lambda _disk, path, _names: ways.append(path))
    known = CachedResolver(Disk())
    assert known.repository(str(deep), True) == known.repository(str(deep), True)
    assert ways == [str(deep)]


def test_each_directory_above_a_deep_one_is_told_of(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["n"] * repositories.MIN_DEPTH)
    deep.mkdir(parents=True)
    above = [each for each in (deep, *deep.parents) if each.is_relative_to(tmp_path)]
    for each in above:
        (each / "HEAD").touch()
        assert marked(str(deep), ("HEAD",)) == frozenset((str(each),))
        (each / "HEAD").unlink()


def test_what_is_above_a_deep_directory_is_only_told_of_a_real_path(tmp_path: Path) -> None:
    deep = tmp_path.joinpath("a", *["n"] * repositories.MIN_DEPTH)
    deep.mkdir(parents=True)
    (tmp_path / "a/n/HEAD").symlink_to("nothing")
    (tmp_path / "b").symlink_to("a")
    assert marked(str(deep), ("HEAD", ".git")) == frozenset((f"{tmp_path}/a/n",))
    for other in (str(deep).replace("/a/", "/b/"), f"{deep}/..", f"{deep}/"):
        assert marked(other, ("HEAD", ".git")) is None
    (deep / "file").touch()
    (deep / "dangling").symlink_to("none")
    for name in ("file", "none", "none/more", "file/more", "dangling", "none/../HEAD"):
        assert marked(f"{deep}/{name}", ("HEAD",)) == frozenset((f"{tmp_path}/a/n",))
    (deep / "link").symlink_to(tmp_path)
    assert marked(f"{deep}/link/none", ("HEAD",)) is None
    assert marked(f"{deep}\0", ("HEAD",)) is None
    assert marked(f"{deep}{'/x' * 1500}", ("HEAD",)) == frozenset((f"{tmp_path}/a/n",))
    assert marked("/none" * 40, ("HEAD",)) is None


def test_what_may_not_be_searched_is_looked_at_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path.joinpath(*["n"] * repositories.MIN_DEPTH)
    deep.mkdir(parents=True)
    opened, steps = os.open, [0]

    def refuses(path: str, flags: int, *given: int, dir_fd: int | None = None) -> int:
        steps[0] += 1
        if steps[0] == 3:
            raise PermissionError(13, "no", path)
        return opened(path, flags, *given, dir_fd=dir_fd)

    before = set(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(os, "open", refuses)
    assert marked(str(deep), MARKS) is None
    assert set(os.listdir("/proc/self/fd")) == before


def test_where_names_may_not_be_looked_at_paths_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Filters of containers refuse faccessat2(2), and let access(2) pass."""
    deep = tmp_path.joinpath(*["n"] * repositories.MIN_DEPTH)
    deep.mkdir(parents=True)
    (tmp_path / ".git").write_text("anything")
    monkeypatch.setattr(os, "access", lambda *_given, **_named: False)
    assert marked(str(deep), MARKS) is None
    assert top(str(deep)) == str(tmp_path)
