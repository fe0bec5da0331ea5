"""What git tracks and can bring back is what git itself says."""

import os
import random
import subprocess
from pathlib import Path

import pytest

from execpolicy.places.disk import Disk

NAMES = ("a", "b", "build", "build.txt", "dist", "ä", "x" * 90)


def git(cwd: Path, *words: str) -> str:
    names = ("user.name=a", "user.email=a@b", "core.quotePath=off")
    settings = [word for name in names for word in ("-c", name)]
    env = {"PATH": os.environ["PATH"], "HOME": str(cwd), "GIT_CONFIG_NOSYSTEM": "1"}
    argv = ["git", *settings, *words]
    return subprocess.run(argv, cwd=cwd, env=env, check=True, capture_output=True, text=True).stdout


def made(root: Path, rng: random.Random) -> list[str]:
    git(root, "init", "-q")
    found = set[str]()
    for _ in range(25):
        path = root.joinpath(*(rng.choice(NAMES) for _ in range(rng.randrange(1, 4))))
        if any(p.is_file() for p in path.parents) or path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{rng.random()}")
        found |= {str(p) for p in (path, *path.parents) if root in p.parents}
        if rng.random() < 0.5:
            git(root, "add", "-f", str(path))
    return sorted(found)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("version", [2, 3, 4])
def test_tracked_and_unchanged_are_what_git_says(tmp_path: Path, seed: int, version: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    paths = made(tmp_path, rng)
    if version == 3:
        new = next(p for p in paths if Path(p).is_file())
        git(tmp_path, "rm", "-q", "--cached", "--ignore-unmatch", new)
        git(tmp_path, "add", "-N", new)
    else:
        git(tmp_path, "update-index", f"--index-version={version}")
    for path in paths:
        if Path(path).is_file() and rng.random() < 0.3:
            Path(path).write_text("changed")
    changed = git(tmp_path, "diff", "--name-only").splitlines()
    for path in paths:
        tracked = git(tmp_path, "ls-files", "--", path).splitlines()
        assert Disk().tracks(path) or not tracked
        if version != 4:
            assert Disk().tracks(path) is bool(tracked)
        name = os.path.relpath(path, tmp_path)
        kept = Path(path).is_file() and bool(tracked) and name not in changed
        assert kept or not Disk().unchanged(path)
        if version != 4:
            assert Disk().unchanged(path) is kept


def test_a_split_index_and_a_repository_inside_count_as_tracked(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a").write_text("x")
    (tmp_path / "dist").mkdir()
    assert not Disk().tracks(str(tmp_path / "dist"))
    git(tmp_path, "add", "a")
    git(tmp_path, "update-index", "--split-index")
    assert Disk().tracks(str(tmp_path / "dist"))
    assert not Disk().unchanged(str(tmp_path / "a"))
    git(tmp_path, "update-index", "--no-split-index")
    for path in (tmp_path / ".git").glob("sharedindex.*"):
        path.unlink()
    assert not Disk().tracks(str(tmp_path / "dist"))
    git(tmp_path / "dist", "init", "-q")
    assert Disk().tracks(str(tmp_path / "dist"))
