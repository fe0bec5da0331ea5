"""A list in parts: its commands in shells of their own end as in one, or there are none."""

import subprocess
from pathlib import Path

import pytest

from execpolicy.shell.parts import parts_of
from tests import confined

APART = [
    # a text, and its parts with what stands before each
    ("pytest -q && git add -A", ["pytest -q", "&& git add -A"]),
    ("make; git add . ||\n  true", ["make", "; git add .", "|| true"]),
    ("A=1 make 2>&1 | tail -3 && git commit -m 'a && b'",
     ["A=1 make 2>&1 | tail -3", "&& git commit -m 'a && b'"]),
    ("make # all\n\ngit commit -m \"$(cat <<'E'\none; two\nE\n)\"",
     ["make", "; git commit -m \"$(cat <<'E'\none; two\nE\n)\""]),
    ("ls *.py ~/x \"$HOME\" && git add \"$PWD\"/*",
     ["ls *.py ~/x \"$HOME\"", "&& git add \"$PWD\"/*"]),
    # what each of the next begins with; where it fails later, nothing runs elsewhere
    ("cd sub && make && git add .", ["cd sub && make", "&& cd sub && git add ."]),
    ("x=1; make; git add $x", ["x=1; make", "; x=1 && git add $x"]),
    ("make && cd 'a b' && git add .", ["make", "&& cd 'a b' && git add ."]),
    ("cd a && x=1 && make\ncd ../b; git add .",
     ["cd a && x=1 && make", "; cd a && x=1 && cd ../b; git add ."]),
]  # fmt: skip
TOGETHER = [
    # the shell keeps something from one command to the next
    *("cd - && make && git add .", "x=$(y); make; git add $x", "export A=1; make; git add ."),
    *("cd $x && make && git add .", "make || cd a; git add .", "cd a; make || git add ."),
    *("make && cd a; git add .", "make && cd a && ls; git add ."),
    *("make && git add . && cd a", "cd a >b; make; git add .", "cd; make; git add ."),
    *("x=1 cd a; make; git add .", "cd a b; make; git add .", "cd a | x; make; git add ."),
    *("read a; git add $a", ". ./env; make && git add .", "set -e; make; git add ."),
    *("make; git commit -m $?", "make; git commit -m \"$(echo $?)\"", "make; git add $_"),
    *("make & git add .", "f() { make; }; f; git add .", "make; exit 3; git add ."),
    *("make; git commit -m \"$(cat <<E\n$?\nE\n)\"", "make; git commit -F - <<E\nx\nE\n"),
    # what is not a pipeline of simple commands, or is not understood
    *("if make; then git add .; fi", "(make); git add .", "{ make; }; git add ."),
    "! make; git add .",
    *("time make; git add .", "make; [[ -f x ]] && git add .", "make; git add '", "$x; git add ."),
    *("make; git add ${x:-$?}", "make; git add $1", "make; git add $((1 + 1))", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "parts"), APART)
def test_a_list_has_parts(text: str, parts: list[str]) -> None:
    assert [f"{one.operator} {one.text}".lstrip() for one in parts_of(text)] == parts


@pytest.mark.parametrize("text", TOGETHER)
def test_what_needs_one_shell_has_none(text: str) -> None:
    assert len(parts_of(text)) <= (text == "")


OPERATORS = ("&&", "||", "||\n", ";", "\n")
LISTS = [
    *(f"{a} {one} cd d {two} pwd; ls; echo $x" for a in ("x=1", "false")
      for one in OPERATORS for two in OPERATORS),
    "cd d && ls && pwd; cd .. && ls", "cd missing && ls || echo no",
]  # fmt: skip
LISTS += [
    f"{a} {one} {b} {two} {c}; echo end"
    for a, b, c in [("true", "false", "echo c"), ("false", "echo b", "false"), ("ls", "true", "ls")]
    for one in OPERATORS
    for two in OPERATORS
]


@pytest.mark.parametrize("text", LISTS)
def test_parts_end_as_the_list_does_in_bash(text: str, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    whole = _bash(text, tmp_path)
    code, printed = 0, ""
    parts = parts_of(text)
    for part in parts:
        if part.runs_after(code):
            done = _bash(part.text, tmp_path)
            code, printed = done.returncode, printed + done.stdout
    assert (code, printed) == (whole.returncode, whole.stdout) or not parts


def _bash(text: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    words = [*confined.words(cwd), "bash", "-c", text]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True)
