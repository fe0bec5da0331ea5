"""Names that are unusual: a directory of any bytes and lengths has the walls of any other."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

import execpolicy
from execpolicy.sandbox.walls import MAX_PATH
from tests.sandbox.conftest import RULES
from tests.sandbox.test_run import ROOT, command

TRIES = """
echo > made && for f in .envrc .git/config .git/hooks/x; do echo > $f; done 2>/dev/null
cat .env 2>/dev/null; mv .git other 2>/dev/null; git init -q n && echo > n/.git/hooks/x; :
"""
ODD = {
    "a newline": b"a\nb\n",
    "no UTF-8": b"a\xff\xc3",
    "what mountinfo escapes": b"a \t\\012#",
    "3,000 bytes": b"/".join([b"n" * 200] * 15),
}


def run(directory: Path, rules: Path, text: str) -> "subprocess.CompletedProcess[bytes]":
    words = command(directory, "-c", text)
    words[words.index("--rules") + 1] = str(rules)
    return subprocess.run(words, cwd=ROOT, capture_output=True)


@pytest.mark.parametrize("name", ODD.values(), ids=ODD)
def test_a_project_of_any_name(project: Path, name: bytes) -> None:
    at = project.parent / "x" / os.fsdecode(name)
    at.parent.mkdir(parents=True)
    project.rename(at)
    (at / ".envrc").write_text("old")
    (at / ".env").write_text("KEY=secret")
    before = (at / ".git/config").read_text()
    done = run(at, project.parent / "a.rules", TRIES)
    assert (done.returncode, done.stdout) == (0, b""), done.stderr
    assert {one.name for one in at.iterdir()} == {*("made", "a.txt", "n", ".git", ".env", ".envrc")}
    assert (at / ".envrc").read_text() == "old"
    assert (at / ".git/config").read_text() == before
    assert not (at / ".git/hooks/x").exists()
    assert not (at / "n/.git").exists()


def test_a_directory_of_a_project_below_the_temporary_one_is_written(sandboxes: None) -> None:
    """That a run is to see its directory does not make it a place that is only read."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        rules = Path(made, "a.rules")
        rules.write_text(RULES)
        (Path(made, "p/.git/objects")).mkdir(parents=True)
        (Path(made, "p/.git/refs")).mkdir()
        Path(made, "p/.git/HEAD").write_text("ref: refs/heads/main\n")
        Path(made, "p/sub").mkdir()
        done = run(Path(made, "p/sub"), rules, "echo > made; echo > ../.git/x")
        assert Path(made, "p/sub/made").exists(), done.stderr
        assert not Path(made, "p/.git/x").exists()


def deep(top: Path, size: int) -> Path:
    """A new directory below another whose path has so many bytes."""
    path, fd = str(top), os.open(top, os.O_RDONLY)
    while size - len(path) > 0:
        left = size - len(path) - 1
        name = "n" * (left if left <= 200 else min(200, left - 2))
        os.mkdir(name, dir_fd=fd)
        below = os.open(name, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        path, fd = f"{path}/{name}", below
    os.close(fd)
    return Path(path)


def descend(top: Path, path: Path) -> str:
    """The text that goes there a name at a time."""
    return " && ".join(f"cd {name}" for name in path.relative_to(top).parts)


@pytest.mark.parametrize("size", [MAX_PATH - 3, MAX_PATH + 1])
def test_where_walls_would_be_on_paths_that_are_too_long_there_is_no_run(
    project: Path, size: int
) -> None:
    at = deep(project, size)
    fd = os.open(at, os.O_RDONLY)
    os.close(os.open(".env", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(fd)
    done = run(at, project.parent / "a.rules", "echo > made")
    assert done.returncode == 125
    assert b"move the project to a directory with a shorter one" in done.stderr


def test_what_has_no_room_for_a_wall_is_not_there(project: Path) -> None:
    """A file there has no path that the kernel takes, but a command may go there by steps."""
    at = deep(project, MAX_PATH)
    fd = os.open(at, os.O_RDONLY)
    os.write(os.open(".env", os.O_CREAT | os.O_WRONLY, dir_fd=fd), b"secret")
    os.close(fd)
    text = f"echo > made; {descend(project, at)} && cat .env; echo > .envrc"
    done = run(project, project.parent / "a.rules", text)
    assert (project / "made").exists(), done.stderr
    assert b"secret" not in done.stdout
    assert os.listdir(at) == [".env"]


def test_what_appears_under_a_protected_name_is_moved_however_long_its_path_is(
    project: Path,
) -> None:
    at = deep(project, MAX_PATH - 100)
    go = descend(project, at)
    make = "echo > .envrc && mkdir .vscode && echo > .vscode/tasks.json && echo made"
    text = f"{go} && mkdir {'m' * 104} && cd m* && {make}"
    done = run(project, project.parent / "a.rules", text)
    assert b"made" in done.stdout, done.stderr
    inside = at / ("m" * 104)
    assert not inside.exists() or not os.listdir(inside), done.stderr


WORDS = [
    (["printf", "%s|", b"a\xff", b"\xc3", "é".encode()], b"a\xff|\xc3|\xc3\xa9|"),
    (["touch", b"a\xff"], b""),
    (["printf", "%.0s", *[b"\xff"] * 9000, b"\xfe"], b""),
]


@pytest.mark.parametrize(("words", "out"), WORDS, ids=["output", "a file", "many"])
def test_words_that_are_no_text(project: Path, words: list[str | bytes], out: bytes) -> None:
    asked = [*map(os.fsencode, command(project, "--")), *map(os.fsencode, words)]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True)
    assert (done.returncode, done.stdout) == (0, out), done.stderr


BYTES = [
    (("ls", "a\udcff"), "allow"),
    (("rm", "-rf", "/a\udcff"), "prompt"),
    (("no-such-program", "a\udcff"), "prompt"),
    (("a\udcff",), "prompt"),
    (("ls", "-\udcff"), "prompt"),
    (("cat", "/home/me/.ssh/\udcff"), "prompt"),
    (("curl", "http://a\udcff/"), "prompt"),
    (("sed", "s/\udcff/x/", "f"), "prompt"),  # which bytes make a letter is sed's to say
    (("awk", "/\udcff/", "f"), "prompt"),
    (("jq", ".\udcff", "f"), "prompt"),
    (("bash", "-c", "ls \udcff"), "prompt"),
    (("env", "cat", "\udcff"), "allow"),
    (("dd", "if=\udcff", "of=/dev/sda"), "forbidden"),
]


@pytest.mark.parametrize(("words", "decision"), BYTES)
def test_bytes_that_are_no_text_loosen_nothing(words: tuple[str, ...], decision: str) -> None:
    verdict = execpolicy.Engine.load(rules=[]).check(words)
    assert verdict.decision.word == decision
    assert not any("\\u" in one.rule for one in verdict.amendments)
