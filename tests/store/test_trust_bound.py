"""Trust is given to a file of a project, where it really is: no other project can take it over."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError
from execpolicy.store import amend
from execpolicy.store.sources import layers, trust
from execpolicy.support import digest
from tests.repositories import new_repository
from tests.store.support import decision, project, write

ALLOW, PROMPT, FORBIDDEN = Decision
RULES = 'prefix_rule(["mytool"])\nprefix_rule(["ls"], "forbidden")'
GIT = ["git", "-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "init.defaultBranch=m"]


def git(cwd: Path, *arguments: str) -> None:
    subprocess.run([*GIT, *arguments], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A repository with rules that are trusted."""
    root = tmp_path / "mine"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "x")
    path = project(root, RULES)
    trust.pin({str(path): path.read_bytes()})
    assert decision(root, "mytool") is ALLOW
    return root


def linked(path: Path, target: Path | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def fake_worktree(theirs: Path, mine: Path, *, back: bool) -> None:
    """A directory of git's own of theirs, which names mine as the common one."""
    git_directory = theirs / "fake"
    write(git_directory / "commondir", f"{mine}/.git\n")
    write(git_directory / "HEAD", "ref: refs/heads/m\n")
    if back:
        write(git_directory / "gitdir", f"{theirs}/.git\n")
    write(theirs / ".git", "gitdir: fake\n")


def another_s_worktree(theirs: Path, mine: Path) -> None:
    """The `.git` file of a true worktree of mine."""
    git(mine, "worktree", "add", "-q", "../true")
    write(theirs / ".git", (mine.parent / "true/.git").read_text())


def another_s_link(theirs: Path, mine: Path) -> None:
    git(mine, "worktree", "add", "-q", "../true")
    linked(theirs / ".git", mine.parent / "true/.git")


def a_hard_link(theirs: Path, mine: Path) -> None:
    (theirs / ".execpolicy/rules").mkdir(parents=True)
    (theirs / ".execpolicy/rules/p.rules").hardlink_to(mine / ".execpolicy/rules/p.rules")


TAKING: dict[str, Callable[[Path, Path], object]] = {
    "a link to the directory": lambda theirs, mine: linked(
        theirs / ".execpolicy", mine / ".execpolicy"
    ),
    "a link to the rules": lambda theirs, mine: linked(
        theirs / ".execpolicy/rules", mine / ".execpolicy/rules"
    ),
    "a link to a file": lambda theirs, mine: linked(
        theirs / ".execpolicy/rules/p.rules", mine / ".execpolicy/rules/p.rules"
    ),
    "a relative link": lambda theirs, mine: linked(
        theirs / ".execpolicy", os.path.relpath(mine / ".execpolicy", theirs)
    ),
    "a hard link": a_hard_link,
    "the same text": lambda theirs, mine: write(theirs / ".execpolicy/rules/p.rules", RULES),
    "a common directory": lambda theirs, mine: fake_worktree(theirs, mine, back=False),
    "a common directory and a way back": lambda theirs, mine: fake_worktree(
        theirs, mine, back=True
    ),
    "the entry of a worktree": another_s_worktree,
    "a link to the entry of a worktree": another_s_link,
}


@pytest.mark.parametrize("take", TAKING.values(), ids=TAKING)
def test_no_other_project_gets_the_trust(
    take: Callable[[Path, Path], object], mine: Path, tmp_path: Path
) -> None:
    """What it forbids holds there all the same."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    take(theirs, mine)
    if not os.path.lexists(theirs / ".git"):
        new_repository(theirs)
    assert decision(theirs, "mytool") is PROMPT
    assert decision(theirs, "ls") is FORBIDDEN
    assert decision(mine, "mytool") is ALLOW


HINTS = {
    "a link to a file": "a link leads to it from another place",
    "the entry of a worktree": "run `git worktree repair`",
    "the same text": "read it, then run `execpolicy trust`",
}


@pytest.mark.parametrize("name", HINTS)
def test_why_is_told_and_nothing_can_pin_it(
    name: str, mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    TAKING[name](theirs, mine)
    problems = Engine.load(cwd=theirs).snapshot.diagnostics
    assert any(HINTS[name] in (d.hint or "") for d in problems if d.code == "untrusted")
    fit = name == "the same text"
    code = run(dispatch, ["trust", "--yes", str(theirs)])
    assert code == (ExitCode.ALLOW if fit else ExitCode.ERROR)
    assert ("is not trusted: " in capsys.readouterr().err) is not fit
    assert decision(theirs, "mytool") is (ALLOW if fit else PROMPT)


@pytest.mark.parametrize("relative", [False, True])
def test_a_true_worktree_has_the_trust_of_the_main_one(
    relative: bool, mine: Path, tmp_path: Path
) -> None:
    git(mine, "worktree", "add", "-q", "../work")
    work = tmp_path / "work"
    if relative:  # as git 2.48 writes them with `worktree.useRelativePaths`
        entry = mine / ".git/worktrees/work"
        (work / ".git").write_text("gitdir: ../mine/.git/worktrees/work\n")
        (entry / "gitdir").write_text("../../../../work/.git\n")
        git(work, "status")
    assert layers.project_roots(str(work)) == [str(mine), str(work)]
    assert decision(work, "mytool") is ALLOW
    assert decision(work, "ls") is FORBIDDEN
    moved = tmp_path / "moved"
    work.rename(moved)
    if not relative:
        assert decision(moved, "mytool") is PROMPT, "git does not know it there"
        assert decision(moved, "ls") is FORBIDDEN
        git(mine, "worktree", "repair", str(moved))
        assert decision(moved, "mytool") is ALLOW


def test_a_submodule_is_a_project_of_its_own(mine: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "commit", "-q", "--allow-empty", "-m", "x")
    git(mine, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    sub = mine / "sub"
    assert layers.project_roots(str(sub)) == [str(sub)]
    assert decision(sub, "mytool") is PROMPT
    write(mine / ".git/modules/sub/commondir", "../..\n")  # what the submodule cannot write itself
    assert decision(sub, "mytool") is PROMPT


def test_a_project_inside_another_has_its_own(mine: Path) -> None:
    """A directory that was trusted as part of one project and is a project itself then."""
    path = write(mine / "a/.execpolicy/rules/p.rules", 'prefix_rule(["other"])')
    trust.pin({str(path): path.read_bytes()})
    assert decision(mine / "a", "other") is ALLOW
    assert decision(mine / "a", "mytool") is ALLOW
    new_repository(mine / "a")
    assert decision(mine / "a", "other") is PROMPT
    assert decision(mine / "a", "mytool") is PROMPT


def test_a_project_that_was_moved_is_asked_about_again(mine: Path, tmp_path: Path) -> None:
    mine.rename(tmp_path / "moved")
    assert decision(tmp_path / "moved", "mytool") is PROMPT
    assert decision(tmp_path / "moved", "ls") is FORBIDDEN


def test_a_project_reached_by_a_link_is_the_same(mine: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(mine)
    assert decision(tmp_path / "way", "mytool") is ALLOW


@pytest.mark.parametrize("name", [".execpolicy", ".execpolicy/rules", ".execpolicy/rules/p.rules"])
def test_what_became_a_link_is_trusted_no_longer(name: str, mine: Path) -> None:
    (mine / name).rename(mine / "aside")
    (mine / name).symlink_to(mine / "aside")
    assert decision(mine, "mytool") is PROMPT
    assert decision(mine, "ls") is FORBIDDEN


# --- records of the first version -----------------------------------------------------------------


def unbound(path: Path) -> None:
    """A record as earlier versions wrote it."""
    write(Path(trust.record()), f"{digest.of(path.read_bytes())}  {path}\n").chmod(0o600)


def test_trust_that_names_no_project_is_asked_about_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A link of another project may have led to the file that was shown."""
    path, other = project(tmp_path / "p", RULES), project(tmp_path / "q", RULES)
    unbound(path)
    assert decision(tmp_path / "p", "mytool") is PROMPT
    problems = Engine.load(cwd=tmp_path / "p").snapshot.diagnostics
    assert [d.hint for d in problems] == [
        "the trust was not yet bound to a project: run `execpolicy trust` again"
    ]
    trust.pin({str(other): other.read_bytes()})
    assert trust.read().unbound.keys() == {str(path)}, "others stay until they are asked about"
    assert run(dispatch, ["trust", "--yes", str(tmp_path / "p")]) == ExitCode.ALLOW
    out = capsys.readouterr().out
    assert f"{path} (trusted as it is, but not yet in this project)" in out
    assert f"  project {tmp_path / 'p'}\n" in out
    assert decision(tmp_path / "p", "mytool") is ALLOW
    assert trust.read().unbound == {}


def test_the_record_names_project_and_file(mine: Path) -> None:
    header, line = Path(trust.record()).read_text().splitlines()
    assert header == "# execpolicy trust 2"
    pinned, _, place = line.partition("  ")
    assert (pinned, place) == (digest.of(RULES.encode()), f"{mine}\t.execpolicy/rules/p.rules")


def test_a_line_of_the_first_version_is_never_one_of_the_second(tmp_path: Path) -> None:
    """A path with a tab in it."""
    path = project(tmp_path / "a\tb", RULES)
    unbound(path)
    assert trust.read().pins == {}
    assert decision(tmp_path / "a\tb", "mytool") is PROMPT
    trust.pin({str(path): path.read_bytes()})
    assert decision(tmp_path / "a\tb", "mytool") is ALLOW


def test_revoking_takes_all_of_the_project(mine: Path) -> None:
    path = write(mine / ".execpolicy/rules/gone.rules", "")
    trust.pin({str(path): b""})
    path.unlink()
    shutil.copytree(mine, mine.with_name("other"))
    other = mine.with_name("other") / ".execpolicy/rules/p.rules"
    trust.pin({str(other): other.read_bytes()})
    assert run(dispatch, ["trust", "--revoke", str(mine)]) == ExitCode.ALLOW
    assert decision(mine, "mytool") is PROMPT
    assert {pin.root for pin in trust.read().pins} == {str(mine.with_name("other"))}


def test_amend_writes_to_no_other_project(mine: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    new_repository(theirs)
    linked(theirs / ".execpolicy", mine / ".execpolicy")
    path = amend.target("project", str(theirs))
    with pytest.raises(ExecPolicyError, match="edit that file"):
        amend.prepare("project", path)
    with pytest.raises(ExecPolicyError, match="edit that file"):
        amend.append("project", path, ['prefix_rule(["x"])'], "x", lambda content: None)
    assert os.listdir(mine / ".execpolicy/rules") == ["p.rules"]
