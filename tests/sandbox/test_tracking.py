"""What git writes into its configuration itself: which branch of a remote another one follows."""

import subprocess
from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.operation import Request
from execpolicy.sandbox.leftovers.tracking import FollowedBranches, is_followed, may_open
from execpolicy.sandbox.sending import are_sent_away
from tests.sandbox.test_run import run

PLAIN = '[core]\n\tbare = false\n[remote "o"]\n\turl = /o\n'
FOLLOWS = '[branch "x"]\n\tremote = o\n\tmerge = refs/heads/x\n'
CHANGED = [
    ("a branch follows another", PLAIN, PLAIN + FOLLOWS, True),
    ("one is forgotten", PLAIN + FOLLOWS, PLAIN, True),
    ("a description is forgotten", PLAIN + '[branch "x"]\n\tdescription = d\n', PLAIN, True),
    ("nothing is left", PLAIN, "", False),
    ("a program", PLAIN, PLAIN + "[core]\n\tfsmonitor = ./evil\n", False),
    ("an alias", PLAIN, '[alias]\n\tst = "!evil"\n' + PLAIN + FOLLOWS, False),
    ("another file", PLAIN, PLAIN + "[include]\n\tpath = evil\n", False),
    ("another address", PLAIN, PLAIN.replace("/o", "/evil"), False),
    ("an address", PLAIN, PLAIN + FOLLOWS.replace("= o", '= "ext::sh -c e"'), False),
    ("a remote that is a path", PLAIN, PLAIN + FOLLOWS.replace("= o", "= ./evil"), False),
    ("a line that git refuses", PLAIN, PLAIN + FOLLOWS + "[core\n", False),
    ("a remote is gone", PLAIN, PLAIN.partition("[remote")[0], False),
]  # fmt: skip


@pytest.mark.parametrize(("case", "before", "after", "stays"), CHANGED)
def test_what_may_stay(case: str, before: str, after: str, stays: bool, tmp_path: Path) -> None:
    assert is_followed(before.encode(), after.encode()) is stays, case
    config = tmp_path / "config"
    config.write_text(before)
    followed = FollowedBranches(str(config))
    config.unlink()
    config.write_text(after)
    assert bool(followed.problem()) is not stays
    assert config.read_text() == (after if stays else before)


def test_a_link_in_its_place_is_replaced(tmp_path: Path) -> None:
    config, other = tmp_path / "config", tmp_path / "other"
    config.write_text(PLAIN)
    other.write_text(PLAIN + FOLLOWS)
    followed = FollowedBranches(str(config))
    config.unlink()
    config.symlink_to(other)
    assert not may_open(str(config))
    assert followed.problem()
    assert not config.is_symlink()
    assert other.read_text() == PLAIN + FOLLOWS


@pytest.fixture
def remote(project: Path) -> Path:
    """A repository to follow, with a branch of two names."""
    origin = project.parent / "origin.git"
    for words in (
        ("git", "init", "-q", "--bare", str(origin)),
        ("git", "remote", "add", "origin", str(origin)),
        ("git", "push", "-q", "origin", "HEAD:refs/heads/topic"),
        ("git", "fetch", "-q", "origin"),
        ("git", "branch", "old"),
    ):
        subprocess.run(words, cwd=project, check=True, capture_output=True)
    return origin


TOPIC = "origin refs/heads/topic"
WORK = [
    ("git checkout -q -b topic origin/topic", TOPIC),
    ("git switch -q topic", TOPIC),
    ("git branch --set-upstream-to=origin/topic old && git branch -m old topic", TOPIC),
    ("git branch -d old", ""),
]


@pytest.mark.parametrize(("text", "follows"), WORK)
def test_branches_follow_as_outside(project: Path, remote: Path, text: str, follows: str) -> None:
    inside = run(project, "-c", text)
    assert (inside.returncode, inside.stderr) == (0, ""), inside
    asked = ("git", "config", "--get-regexp", "branch[.]topic[.](remote|merge)")
    found = subprocess.run(asked, cwd=project, capture_output=True, text=True).stdout
    assert " ".join(line.split()[1] for line in found.splitlines()) == follows
    assert "fsmonitor" not in (project / ".git/config").read_text()


def test_nothing_beside_git_writes_it(project: Path, remote: Path) -> None:
    for text in ("git branch -d old; echo x >> .git/config", "git fetch -q; echo >> .git/config"):
        before = (project / ".git/config").read_bytes()
        run(project, "-c", text)
        assert (project / ".git/config").read_bytes() == before, text


SENT = [
    ("git push", True),
    ("git push -u origin topic", True),
    ("git push https://git.example.org/x.git topic", True),
    ("git push git@git.example.org:x.git topic", True),
    ("git push ../origin.git topic", False),
    ("git push {origin} topic", False),
    ("git push near topic", False),
    ("git push origin topic && git push near topic", False),
    ("git fetch near", True),
]


@pytest.mark.parametrize(("text", "away"), SENT)
def test_hooks_of_a_repository_here_see_no_open_directory(
    project: Path, remote: Path, text: str, away: bool
) -> None:
    for words in (
        ("git", "remote", "set-url", "origin", "https://git.example.org/a.git"),
        ("git", "remote", "add", "near", str(remote)),
    ):
        subprocess.run(words, cwd=project, check=True)
    engine = Engine.load(cwd=str(project))
    filled = text.format(origin=remote)
    request = Request(text=filled, cwd=str(project), root=str(project))
    steps = tuple(unwrap(request, engine.snapshot))
    assert are_sent_away(request, steps, engine.snapshot) is away
