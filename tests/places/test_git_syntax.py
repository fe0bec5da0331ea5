"""Git's configuration is read as git reads it: by the real one, over texts of every shape."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies
from hypothesis.strategies import SearchStrategy

from execpolicy.places.repository import git_syntax

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
PIECES = (
    *("[core]", "[core", '[a "B c"]', "[A.b]", '[a "b\\"\\\\c"]', "[]", "]", "[x-1.y.Z]", '[ "a"]'),
    *("hooksPath", "a", "K-1", "1a", "=", " = ", " ", "\t", "\n", "\r\n", "\r", '"', "\\", "\\\n"),
    *(
        "\\n",
        "\\t",
        "\\b",
        "\\x",
        "#",
        ";",
        " ; off",
        "value",
        "two words",
        '"q # r"',
        "é",
        "\ufeff",
    ),
    *("\n[core]\n", "\n\tkey = ", "!./f", "~/gh", "$(x)/y", "\x0b", "%(prefix)/"),
)
TEXTS: SearchStrategy[str] = strategies.lists(strategies.sampled_from(PIECES), max_size=14).map(
    "".join
)


def listed(file: Path) -> "list[tuple[str, str | None]] | None":
    """What git makes of a file; None where it refuses it."""
    words = ["git", "config", "--list", "-z", "--file", str(file)]
    done = subprocess.run(words, capture_output=True)
    if done.returncode:
        return None
    each = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    split = [one.partition("\n") for one in each]
    return [(name, spaced(value) if sign else None) for name, sign, value in split]


def spaced(value: str) -> str:
    """Without the difference between spaces inside of a value, which git 2.45 keeps as they are."""
    return value.replace("\t", " ").replace("\r", " ")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("git") / "config"


@needs_git
@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_as_git_reads_it(file: Path, text: str) -> None:
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    expected = listed(file)
    found, whole = git_syntax.settings(text)
    assert whole is (expected is not None), text
    if expected is not None:
        ours = [(one.name, None if one.value is None else spaced(one.value)) for one in found]
        assert ours == expected


def test_includes_are_followed_whatever_their_condition() -> None:
    files = {
        "/h/.gitconfig": '[include]\n path = "a" # b\n[includeIf "onbranch:x"] path = ~/b\n',
        "/h/a": "[core]\n hooksPath = one\n[include] path = a\n",
        "/h/b": "[include]\n path = /c\n",
        "/c": "[core]\n hooksPath = two\n[",
    }
    found = [*git_syntax.followed("/h/.gitconfig", lambda path: files.get(path, ""), "/h")]
    assert [path for path, _, _ in found] == ["/h/.gitconfig", "/h/a", "/h/b", "/c"]
    assert [whole for _, _, whole in found] == [True, True, True, False]
    named = [one.value for _, each, _ in found for one in each if one.word == "core.hookspath"]
    assert named == ["one", "two"]
