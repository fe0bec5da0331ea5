"""Which pipeline the words of a value come from, as the text says and as bash does it."""

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from execpolicy.model.operation import Dynamic, Exec
from tests.shell.reading import read


def fed(text: str) -> list[tuple[str, ...]]:
    """For each computed word of each `p`, the programs that print it."""
    return [
        word.fed_by
        for operation in read(text, "bash")
        if isinstance(operation, Exec) and operation.argv[0] == "p"
        for word in operation.argv
        if isinstance(word, Dynamic)
    ]


KNOWN = [
    ("p $(names)", ("names",)),
    ('p "$(names)"', ("names",)),
    ("p $(names 2>/dev/null | sort)", ("names", "sort")),
    ("for f in $(names); do p $f; done", ("names",)),
    ('for f in $(names | head -3); do echo; p "${f}"; done', ("names", "head")),
    ('names | while read -r f; do p "$f"; done', ("names",)),
    ('names | sort | while IFS= read f; do p "$f"; done', ("names", "sort")),
    ('while read -r f; do p "$f"; done < <(names)', ("names",)),
    ('if true; then for f in $(names); do if x; then p "$f"; fi; done; fi', ("names",)),
]


@pytest.mark.parametrize(("text", "programs"), KNOWN)
def test_the_pipeline_is_known(text: str, programs: tuple[str, ...]) -> None:
    assert fed(text) == [programs]


UNKNOWN = [
    # the word is more than what is printed
    "p .$(names)",
    "p $(names)$(names)",
    "p <(names)",
    "p `names`",
    # what prints is no one pipeline, or prints elsewhere
    "p $(names; more)",
    "p $(names && more)",
    "p $(names > f)",
    "p $(names |& sort)",
    "p $(A=1 names)",
    "p $($x)",
    "p $({ names; } | sort)",
    "names() { echo .x; }; p $(names)",
    "IFS=x; p $(names)",
    # the variable may be another one
    'p "$f"; for f in $(names); do :; done',
    'for f in $(names); do :; done; p "$f"',
    'for f in $(names) x; do p "$f"; done',
    'for f in x$(names); do p "$f"; done',
    'for f in $(names); do f=.x; p "$f"; done',
    'for f in $(names); do read -r f; p "$f"; done',
    'for f in $(names); do printf -v f x; p "$f"; done',
    'for f in $(names); do eval "$x"; p "$f"; done',
    'for f in $(names); do . ./x; p "$f"; done',
    'for f in $(names); do p "${f%x}"; done',
    'for f in $(names); do p "$f$f"; done',
    # the lines are not those of the pipeline, or only pieces of them
    'names | while read -r f; do p "$f"; done < list',
    'names | while read -r f g; do p "$f"; done',
    'names | while read -r f g; do p "$g"; done',
    'names | while read -d x f; do p "$f"; done',
    'names | while read -n 1 f; do p "$f"; done',
    'names | while read -r f <list; do p "$f"; done',
    'names | { exec < list; while read -r f; do p "$f"; done; }',
    'names | while true; do read -r f; p "$f"; done',
    'read() { f=.x; }; names | while read -r f; do p "$f"; done',
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_the_pipeline_is_not_known(text: str) -> None:
    assert not any(fed(text))


LOOPS = [
    'for f in $(names); do {0} p "$f"; {1} done; {2}',
    'names | while read -r f; do {0} p "$f"; {1} done; {2}',
    'while read -r f; do {0} p "$f"; {1} done < <(names); {2}',
    "{0} for f in $(names | cat); do p $f; {1} done; {2}",
    "{0} p $(names); {1} {2}",
]
BESIDE = [
    "",
    "f=x;",
    "echo;",
    "readonly f;",
    "set -- x;",
    "IFS=a;",
    ": ${f:=x};",
    "shopt -s lastpipe;",
    "unset f;",
    "f+=x;",
    "export f;",
    "local f;",
    "((f=3));",
    "true | read f;",
]
TIMES = (BESIDE, BESIDE[:4], BESIDE[:2])


def test_what_bash_makes_of_it(tmp_path: Path) -> None:
    """Each word of which the pipeline is known is one of the lines that the pipeline printed."""
    for name, body in (("names", "printf 'aa\\nba\\n'"), ("p", 'printf "%s\\n" "$@" >> said')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    every = (loop.format(*beside) for loop, *beside in itertools.product(LOOPS, *TIMES))
    texts = [text for text in every if fed(text) and all(fed(text))]
    script = "".join(f"(\n{text}\n)\nprintf -- '-\\n' >> said\n" for text in texts)
    subprocess.run(
        ["bash", "--norc", "-c", script], cwd=tmp_path, env=environment, capture_output=True
    )
    said = (tmp_path / "said").read_text().split("-\n")[:-1]
    assert len(said) == len(texts) > len(LOOPS) * len(BESIDE)
    wrong = [t for t, words in zip(texts, said, strict=True) if set(words.split()) - {"aa", "ba"}]
    assert wrong == []
