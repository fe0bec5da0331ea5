"""Git obeys the configuration of what it finds, so what it finds must be the session's own."""

import subprocess
from pathlib import Path

import pytest

from execpolicy import Decision, Engine
from execpolicy.places.repository.index_file import Index, gitlinks
from execpolicy.support.disk.repository import Repository

LOOKS = ["git status", "git diff --stat", "git diff HEAD", "git -C a status -s", "git add -n ."]
OBJECTS = ["git log -1", "git show", "git ls-files", "git rev-parse HEAD", "git --version"]


def git(root: Path, *words: str) -> str:
    settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    argv = ["git", *settings, *words]
    return subprocess.run(argv, cwd=root, check=True, capture_output=True, text=True).stdout


def made(root: Path) -> Path:
    (root / "a").mkdir(parents=True)
    (root / "a/f").write_text("x")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    return root


def plant(root: Path, name: str) -> None:
    """A repository in a directory, and its commit in the index above, as no clone makes it."""
    made(root / name)
    git(root / name, "config", "core.fsmonitor", "touch ran; false")
    head = git(root / name, "rev-parse", "HEAD").strip()
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{head},{name}")


def decisions(root: Path, commands: list[str]) -> set[Decision]:
    engine = Engine.load(rules=[], cwd=root)
    return {engine.check(command, cwd=str(root)).decision for command in commands}


@pytest.mark.parametrize("split", [False, True])
def test_a_planted_submodule_is_code_for_what_looks_at_it(tmp_path: Path, split: bool) -> None:
    root = made(tmp_path / "p")
    assert decisions(root, LOOKS) == {Decision.ALLOW}
    plant(root, "sub")
    if split:
        git(root, "update-index", "--split-index")
    assert decisions(root, LOOKS) == {Decision.PROMPT}
    assert decisions(root, OBJECTS) == {Decision.ALLOW}
    git(root, "status")
    assert (root / "sub/ran").exists()


@pytest.mark.parametrize("length", [2, 40, 200])
def test_the_end_of_the_directory_is_told(tmp_path: Path, length: int) -> None:
    root, name = made(tmp_path / "p"), "s" * length
    plant(root, name)
    verdict = Engine.load(rules=[], cwd=root).check("git status", cwd=str(root))
    assert f"repository in `{f'{root}/{name}'[-60:]}`" in verdict.reason


def test_a_submodule_that_git_made_is_the_own_one(tmp_path: Path) -> None:
    inner, other = made(tmp_path / "inner"), made(tmp_path / "other")
    git(inner, "submodule", "add", "-q", str(other), "deep")
    git(inner, "commit", "-qm", "two")
    root = made(tmp_path / "p")
    git(root, "submodule", "add", "-q", str(inner), "sub")
    assert decisions(root, LOOKS) == {Decision.ALLOW}
    git(root, "submodule", "update", "-q", "--init", "--recursive")
    assert decisions(root, LOOKS) == {Decision.ALLOW}
    plant(root / "sub", "more")
    assert decisions(root, LOOKS) == {Decision.PROMPT}


def test_a_submodule_that_was_not_fetched_holds_nothing(tmp_path: Path) -> None:
    root = made(tmp_path / "p")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    (root / "sub").mkdir()
    assert decisions(root, LOOKS) == {Decision.ALLOW}


def test_what_lies_in_a_submodule_counts_where_git_prints_its_name(tmp_path: Path) -> None:
    root = made(tmp_path / "p")
    descends = ["cd a && git ls-files .. | xargs grep -r x", "git ls-files | xargs diff -r a"]
    assert decisions(root, descends) == {Decision.ALLOW}
    git(root, "submodule", "add", "-q", str(made(tmp_path / "other")), "sub")
    (root / "sub/.env").write_text("KEY=x\n")
    assert decisions(root, descends) == {Decision.PROMPT}
    assert decisions(root, ["git ls-files | xargs cat"]) == {Decision.ALLOW}


@pytest.mark.parametrize("program", ["git", "/usr/bin/git", "timeout 9 git"])
def test_a_folder_that_is_a_repository_is_code(tmp_path: Path, program: str) -> None:
    root = made(tmp_path / "p")
    git(root, "init", "-q", "--bare", "evil")
    commands = [f"{program} -C evil diff", f"cd evil && {program} status"]
    assert decisions(root, commands) == {Decision.PROMPT}
    assert decisions(root, [f"{program} status", f"cd a && {program} status"]) == {Decision.ALLOW}


@pytest.mark.parametrize("program", ["gitleaks detect", "delta a b", "cloc --vcs=git ."])
def test_programs_that_ask_git_obey_it_too(tmp_path: Path, program: str) -> None:
    root = made(tmp_path / "p")
    git(root, "init", "-q", "--bare", "evil")
    (verdict,) = [Engine.load(rules=[]).check(f"cd evil && {program}", cwd=str(root))]
    assert "obeys the configuration" in verdict.reason


def test_a_mode_that_no_entry_has_is_no_submodule(tmp_path: Path) -> None:
    root = made(tmp_path / "p")
    own = Repository(str(root), f"{root}/.git", f"{root}/.git")
    (root / "large").write_text("x" * 0xE000)
    git(root, "add", "large")
    assert gitlinks(own, Index(str(root / ".git"))) == ()
    index = root / ".git/index"
    index.write_bytes(index.read_bytes()[:12] + b"\0\0\xe0\0")
    assert gitlinks(own, Index(str(root / ".git"))) is None
