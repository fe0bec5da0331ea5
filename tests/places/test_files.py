"""The files of an agent: what is refused, what is done, and what an exchange of links changes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from execpolicy import Engine
from execpolicy.places import (
    Approved,
    Deny,
    Done,
    Failed,
    Files,
    Guards,
    OutOfScope,
    RequiresApproval,
    Scope,
    locate,
)
from execpolicy.places.disk import Disk
from execpolicy.places.guarded.files import Result
from tests.waiting import HANG_SECONDS, Process

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project, and beside it what is outside."""
    for name in ("w/src", "w/other", "out"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "w/src/a").write_text("one\ntwo\n")
    (tmp_path / "out/secret").write_text("s")
    (tmp_path / "w/link").symlink_to(tmp_path / "out")
    return Path(os.path.realpath(tmp_path))


def top(folder: Path) -> Files:
    return Files(None, Scope(str(folder / "w")))


def child(folder: Path) -> Files:
    scope = Scope(str(folder / "w"))
    found = scope.child(locate("src", scope.root, "write", Disk()))
    assert isinstance(found, Scope)
    return Files(None, found)


ROWS = [
    ("read", ("src/a",), Done),
    ("read", ("link/secret",), Done),
    ("read", ("src/none",), Failed),
    ("read", ("src",), Failed),
    ("read", ("a\0b",), Deny),
    ("read", (".ssh/id_rsa",), RequiresApproval),
    ("write", ("src/new/deep", "x"), Done),
    ("write", ("link/x", "x"), Deny),
    ("write", ("../out/x", "x"), Deny),
    ("write", ("/etc/execpolicy-test", "x"), RequiresApproval),
    ("write", (".bashrc", "x"), RequiresApproval),
    ("write", (".git/hooks/pre-commit", "x"), RequiresApproval),
    ("write", ("src", "x"), Failed),
    ("write", ("/", "x"), RequiresApproval),
    ("edit", ("src/a", "one", "1"), Done),
    ("edit", ("src/a", "t", "1"), Done),
    ("edit", ("src/a", "o", "1"), Failed),
    ("edit", ("src/a", "", "1"), Failed),
    ("edit", ("link/secret", "s", "1"), Deny),
    ("delete", ("src/a",), Done),
    ("delete", ("link",), Done),
    ("delete", ("link/secret",), Deny),
    ("delete", ("other",), Done),
    ("delete", ("src",), Failed),
    ("delete", (".",), RequiresApproval),
    ("move", ("src/a", "src/b"), Done),
    ("move", ("src/a", "link/b"), Deny),
    ("move", ("link/secret", "src/b"), Deny),
    ("move", ("link", "src/b"), Done),
    ("copy", ("link/secret", "src/b"), Done),
    ("copy", ("src/a", "link/b"), Deny),
    ("glob", ("**/a",), Done),
    ("glob", ("*", "/nowhere-at-all"), Done),
    ("grep", ("one",), Done),
    ("grep", ("(",), Failed),
]  # fmt: skip


@pytest.mark.parametrize("kernel", [True, False], ids=["openat2", "walk"])
@pytest.mark.parametrize(("tool", "words", "expected"), ROWS)
def test_what_a_call_gives(
    folder: Path, tool: str, words: tuple[str, ...], expected: type, kernel: bool
) -> None:
    files = Files(None, Scope(str(folder / "w")), kernel=kernel)
    before = sorted(os.listdir(folder / "out"))
    found: Result = getattr(files, tool)(*words)
    assert isinstance(found, expected), found
    assert found.ok is (expected is Done)
    assert sorted(os.listdir(folder / "out")) == before
    assert (folder / "out/secret").read_text() == "s"


def test_what_was_done(folder: Path) -> None:
    files = top(folder)
    assert files.edit("src/a", "one", "1").ok
    assert files.move("src/a", "deep/b").ok
    assert files.copy("deep/b", "deep/c").ok
    assert files.read("deep/c") == Done("deep/c", "1\ntwo\n")
    assert files.glob("**/*").paths == ("deep/b", "deep/c")  # type: ignore[union-attr]
    assert files.glob("c").paths == ("deep/c",)  # type: ignore[union-attr]
    assert files.glob("deep/*").paths == ("deep/b", "deep/c")  # type: ignore[union-attr]
    assert files.glob("*/*/*").paths == ()  # type: ignore[union-attr]
    assert files.glob("*").paths == ("deep/b", "deep/c")  # type: ignore[union-attr]
    assert files.grep("tw.").paths == ("deep/b:2:two", "deep/c:2:two")  # type: ignore[union-attr]
    assert files.delete("deep/c").ok
    assert files.delete("link").ok
    assert (folder / "out/secret").exists()


def test_a_move_replaces_a_link_and_not_what_it_leads_to(folder: Path) -> None:
    (folder / "w/there").symlink_to(folder / "out/secret")
    assert top(folder).move("src/a", "there").ok
    assert (folder / "out/secret").read_text() == "s"
    assert (folder / "w/there").read_text() == "one\ntwo\n"


def test_a_child_is_sent_back_to_its_parent(folder: Path) -> None:
    files = child(folder)
    assert files.write("src/b", "x").ok
    refused = files.write("other/x", "x")
    assert isinstance(refused, OutOfScope)
    assert "you may write in `src` and nowhere else" in str(refused)
    assert files.read("../out/secret").ok


def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "w/pipe")
    assert isinstance(top(folder).read("pipe"), Failed)
    assert isinstance(top(folder).write("pipe", "x"), Failed)


def test_what_a_person_allowed_is_asked_at_each_call(folder: Path) -> None:
    approved = Approved()
    files = Files(None, Scope(str(folder / "w")), approved=lambda: approved)
    path = str(folder / "out/new")
    first = files.write(path, "x")
    assert isinstance(first, RequiresApproval)
    assert first.paths == (path,)
    approved = approved.add(locate(path, "/", "write", Disk()), "write")
    assert files.write(path, "x").ok
    assert isinstance(files.delete(path), RequiresApproval)


def test_the_rules_of_an_engine_hold_too(folder: Path) -> None:
    rules = folder / "a.rules"
    rules.write_text(
        f'path_rule(["{folder}/w/*"], modes = ["write"], decision = "allow")\n'
        'path_rule(["**/locked"], modes = ["write"], decision = "forbidden",'
        ' justification = "it is locked")\n'
    )
    files = Files(Engine.load([rules]), Scope(str(folder / "w")))
    assert files.write("src/b", "x").ok
    locked = files.write("src/locked", "x")
    assert isinstance(locked, Deny)
    assert "it is locked" in locked.reason
    assert isinstance(files.delete("src/b"), RequiresApproval)


def test_files_that_ask_are_left_out_of_a_search(folder: Path) -> None:
    (folder / "w/.netrc").write_text("password one\n")
    found = top(folder).grep("one")
    assert isinstance(found, Done)
    assert (found.paths, found.left_out) == (("src/a:1:one",), 1)


# --- the race -------------------------------------------------------------------------------------


def race(folder: Path, count: int, kernel: bool) -> tuple[int, int]:
    """Write so often while another process exchanges links; how often it was done, and refused.

    It goes on until a hundredth is done and as much refused, however the machine is shared.
    """
    inside, outside = folder / "w", folder / "out"
    for name in ("w/d", "out/d"):
        (folder / name).mkdir()
    for name in ("w/f", "out/f", "out/d/x"):
        (folder / name).write_text("")
    files = Files(None, Scope(str(inside)), guards=Guards(), kernel=kernel)
    words = [sys.executable, "-m", "tests.places.exchanger", str(inside), str(outside)]
    done = refused = 0
    with Process(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdout.readline()
        ends = time.monotonic() + HANG_SECONDS
        while done + refused < count or min(done, refused) < count // 100:
            number = done + refused
            assert time.monotonic() < ends, "nothing is exchanged meanwhile"
            path = ("d/x", "f", "d/new/y", "d/x")[number % 4]
            found = files.delete(path) if number % 16 == 15 else files.write(path, "written")
            done += found.ok
            refused += not found.ok
        other.stdin.close()
        assert int(other.stdout.read()) > 0
    files.close()
    assert sorted(p.name for p in outside.rglob("*")) == ["d", "f", "secret", "x"]
    assert {(outside / name).read_text() for name in ("f", "d/x")} == {""}
    return done, refused


@pytest.mark.parametrize("kernel", [True, False], ids=["openat2", "walk"])
def test_no_write_lands_outside_while_links_are_exchanged(folder: Path, kernel: bool) -> None:
    assert min(race(folder, 1000, kernel)) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("kernel", [True, False], ids=["openat2", "walk"])
def test_a_hundred_thousand_writes(folder: Path, kernel: bool) -> None:
    assert min(race(folder, 100_000, kernel)) >= 1000
