"""What systems beside git keep of a credentials file asks, where it is not known to be nothing."""

import shlex
from pathlib import Path

import pytest

from execpolicy import Decision, Engine
from tests.store.support import write

SHOW = """
hg diff; hg cat .; hg cat -r 0 gone; hg cat glob:**; hg log -p; hg tip -T {diff()}; hg grep x
hg outgoing -p; svn diff; svn diff -r 1:2; svn log --diff; svn cat a.txt@3; jj show; jj diff
jj log -p; jj op show --git; jj log -T diff.git(); jj diff ~a.txt; fossil cat gone
fossil finfo -p a.txt; svnlook cat . gone
"""
PLAIN = """
hg cat a.txt; hg diff a.txt; hg log; hg status; svn log; svn status; jj log; jj st; jj diff --stat
jj diff a.txt; fossil cat a.txt; fossil timeline
"""


def commands(text: str) -> list[str]:
    return [each.strip() for line in text.strip().splitlines() for each in line.split(";")]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


def asked(engine: Engine, top: Path, texts: list[str]) -> list[str]:
    quoted = {text: " ".join(map(shlex.quote, text.split())) for text in texts}
    return [t for t in texts if engine.check(quoted[t], cwd=top).decision is not Decision.ALLOW]


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A work tree with one file that is not a secret."""
    write(tmp_path / "a.txt", "x\n")
    return tmp_path


@pytest.mark.parametrize("mark", [".svn/wc.db", ".jj/repo/x", ".fslckout"])
def test_what_is_not_known_asks(engine: Engine, top: Path, mark: str) -> None:
    write(top / mark, "")
    assert asked(engine, top, commands(SHOW)) == commands(SHOW)
    assert asked(engine, top, commands(PLAIN)) == []


@pytest.mark.parametrize(
    ("ever", "asks"),
    [
        ("data/a.txt.i\n", False),
        ("data/a.txt.i\ndata/.env.i\n", True),
        ("data/a.txt.i\ndata/.env.d\n", True),
        ("", True),  # it has another form
        ("data/a.txt.i\n" * 9999, True),  # its end is not read
    ],
)
def test_what_mercurial_ever_had(engine: Engine, top: Path, ever: str, asks: bool) -> None:
    write(top / ".hg/store/fncache", ever)
    every = [text for text in commands(SHOW) if text.startswith("hg")]
    assert asked(engine, top, every) == (every if asks else [])
    (top / "src").mkdir()
    assert asked(engine, top / "src", ["hg diff", "hg log -p"]) == (
        ["hg diff", "hg log -p"] if asks else []
    )


def test_what_mercurial_was_only_now_given(engine: Engine, top: Path) -> None:
    write(top / ".hg/store/fncache", "data/a.txt.i\n")
    write(top / ".env", "A=1\n")
    assert asked(engine, top, ["hg diff", "hg diff a.txt"]) == ["hg diff"]


def test_a_work_tree_in_one_of_git(engine: Engine, top: Path) -> None:
    write(top / ".git/HEAD", "ref: refs/heads/main\n")
    for name in ("objects", "refs"):
        (top / ".git" / name).mkdir()
    write(top / "in/.svn/wc.db", "")
    assert asked(engine, top / "in", ["svn diff"]) == ["svn diff"]
    assert asked(engine, top, ["svn diff"]) == []
