"""No spelling of a script has a looser verdict than another that a shell reads as the same.

`python -m tests.shell.spelling_campaign` tries as many as wanted.
"""

import shutil
from random import Random

import pytest

from tests.shell import stubbed
from tests.shell.constructs import N
from tests.shell.pieces import pieces, plain, spelled
from tests.shell.spelling_bases import base
from tests.shell.spelling_campaign import SHELLS, Judge, Pair, campaign, drawn, is_looser
from tests.shell.spellings import Changes

BODY = "cat <<E\n@\nE\n"
ROWS = [
    ("f() { git status; }; cd ../other; f", [
        "function\tf { git status; }; cd ../other; f",
        f"func{N}tion f {{ git status; }}; cd ../other; f",
        f"f{N}() {{ git status; }}; cd ../other; f",
        "f() if true; then git status; fi; cd ../other; f",
    ]),
    ("for i in 1 2; do git status; cd ../other; done", [
        "for i in 1 2; { git status; cd ../other; }",
        "for ((i=0;i<2;i++)); { git status; cd ../other; }",
        f"for i in 1 2; do git status; cd ../other; do{N}ne",
        f"for i in 1 2; d{N}o git status; cd ../other; done",
        "select i in 1; { git status; cd ../other; } <<< 1",
    ]),
    ("trap 'git status' EXIT; cd ../other", [
        f"tr{N}ap 'git status' EXIT; cd ../other",
        "trap\t'git status' EXIT; cd ../other",
        "tr''ap 'git status' EXIT; cd ../other",
    ]),
    ("shopt -s dotglob; cat *", [
        'shopt -s dot"glob"; cat *',
        "shopt -s dot\\glob; cat *",
        "shopt -s {dot,null}glob; cat *",
        "shopt -s $'dot\\x67lob'; cat *",
        f"shopt -s dot{N}glob; cat *",
        'bash -O dot"glob" -c "cat *"',
    ]),
    ("echo $GITHUB_TOKEN", [
        f"echo $GITHUB_{N}TOKEN",
        f"echo ${{{N}GITHUB_TOKEN}}",
        f'echo "${N}GITHUB_TOKEN"',
        BODY.replace("@", f"${{{N}GITHUB_TOKEN}}"),
        f"cat <<< $GITHUB{N}_TOKEN",
    ]),
    ("cd ~/other; git status", [
        "cd ~/$'\\157ther'; git status",
        "cd $HOME$'/\\u006fther'; git status",
        "git -C ~/$'\\x6fther' status",
    ]),
    ("cat ~/.netrc", [
        "cat ~/$'.net\\162c'",
        "cat $HOME/.net$'\\u0072'c",
        f"cat ~/.net{N}rc",
    ]),
    ("cd /etc; cat shadow", ["shopt -s cdable_vars; q=/etc; cd q; cat shadow"]),
    ("q=/etc; cat $q/shadow", [
        "g() { q=/etc; cat $q/shadow; }; g",
        "[ -d x ] && q=/etc; cat $q/shadow",
        "while true; do q=/etc; cat $q/shadow; done",
        "g() { f=$q/shadow; q=/etc; cat $f; }; g",
        "g() { a=/etc; b=shadow; cat $a/$b; }; g",
        "g() { q=/etc/; cat ${q}shadow; }; g",
        "g() { q=/etc/sha; cat ${q}dow; }; g",
        "g() { q=/etc; cat $q/sha*; }; g",
        "g() { q=/et*; cat $q/shadow; }; g",
        "g() { cat $1/shadow; }; g /etc",
        "q+=/etc; cat $q/shadow",
        "q=(/etc); cat ${q[0]}/shadow",
        "read q <<< /etc; cat $q/shadow",
        "printf -v q /etc; cat $q/shadow",
        ": ${q:=/etc}; cat $q/shadow",
        "q=/etc bash -c 'cat $q/shadow'",
        "g() { q=/etc; cd $q; cat shadow; }; g",
        "for q in $x /etc; do cat $q/shadow; done",
        "cat ${q:-/etc}/shadow",
        "cat ${q+/etc}/shadow",
    ]),
    ("q=.aws; cat ~/$q/credentials", ["g() { q=.aws; cat ~/$q/credentials; }; g"]),
    ("cat $HOME/a", [
        "cat ${HOME-}/a",
        "cat ${HOME:-/x}/a",
        "cat ${HOME%/}/a",
        "h=${HOME:?}; cat $h/a",
    ]),
    ("cd; cd ../other; cat a.txt", [
        "g() { if true; then cd; fi; q=../other; cd $q; cat a.txt; }; g",
        "cd; [ -d x ] && q=../other; cd $q; cat a.txt",
    ]),
    ("cd; cat list", [
        "cd $y; cd; cat list",
        "cd ${y:-}; cd; cat list",
        "for y in a; do cd ${y:-}; cd; done; cat list",
        "g() { cd $y; cd; }; g; cat list",
        "for x in ~; do cd ${x:-}; cat list; done",
        "for x in ~; do cd ${x%/}; done; cat list",
        "for x in ~; do cat ${x%/}/list; done",
        "x=(~); cd ${x[0]}; cat list",
        "declare -a x=(~); cd ${x[0]}; cat list",
        "x+=~; cd $x; cat list",
    ]),
]  # fmt: skip
"""Scripts, and spellings of each that hide from a search in the text what it does."""


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("spellings"))


def rows() -> list[tuple[str, str]]:
    return [(script, other) for script, others in ROWS for other in others]


@pytest.mark.parametrize(("script", "other"), rows())
@pytest.mark.parametrize("reading", ["bash", None])
def test_a_spelling_is_no_looser(
    script: str, other: str, reading: str | None, judge: Judge
) -> None:
    for engine in (0, 1):
        pair = Pair([], engine, reading)
        assert not is_looser(judge.answer(other, pair), judge.answer(script, pair))


LATER = [pytest.param(first, marks=pytest.mark.rest) for first in range(1, 10)]


@pytest.mark.parametrize("first", [0, *LATER])
@pytest.mark.parametrize("shell", SHELLS)
def test_no_random_spelling_is_looser(shell: str, first: int, judge: Judge) -> None:
    installed(shell)
    done = campaign(shell, 200, f"daily{first}", judge)
    assert (done.tried, done.looser) == (200, 0)
    assert done.alike >= done.ran * 0.6


@pytest.mark.oracle_long
@pytest.mark.parametrize("first", range(100))
@pytest.mark.parametrize("shell", SHELLS)
def test_no_spelling_of_100_000_scripts_is_looser(shell: str, first: int, judge: Judge) -> None:
    installed(shell)
    assert campaign(shell, 1_000, f"long{first}", judge).looser == 0


@pytest.mark.parametrize("shell", SHELLS)
def test_a_spelling_has_the_script_in_it(shell: str) -> None:
    changed = 0
    for n in range(200):
        random = Random(f"{shell}{n}")  # noqa: S311
        text = base(random, shell)
        spelling = Changes(random, shell).changed(pieces(text))
        assert plain(pieces(text)) == plain(spelling) == text
        changed += spelled(spelling) != text
    assert changed > 190


def test_a_seed_is_a_pair(judge: Judge) -> None:
    assert drawn("bash", "seed", judge) == drawn("bash", "seed", judge)


def test_stubs_tell_what_runs_where() -> None:
    installed("bash")
    ran = stubbed.run(
        ["cd ../other; git status", "echo $GITHUB_TOKEN", "ls | xargs cat", "cat <<< x"], "bash"
    )
    calls = [[(call.argv, call.cwd) for call in record.calls] for record in ran]
    assert calls[0] == [(("git", "status"), "~~/other")]
    assert ran[1].printed == (stubbed.SECRET,)
    assert (("cat", "a.txt", "list"), "~~/proj") in calls[2]
    assert ran[3].calls[0].given[1] == "x\nx"


@pytest.mark.parametrize("other", ["cd ../other;git  status", "eval 'cd ../other'; git status"])
def test_what_is_spelled_otherwise_runs_alike(other: str) -> None:
    installed("bash")
    first, second, third = stubbed.run(["cd ../other; git status", other, "git status"], "bash")
    assert first == second != third


def installed(shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
