"""Where a command runs is part of what runs."""

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.rule import PrefixRule
from execpolicy.model.verdict import Verdict
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.store.snapshot import Snapshot
from tests.places.machine import Machine, repository

HOME = "/home/me"
FILES = {
    **repository("/p/.git"),
    **repository("/p/.git/modules/lib"),
    **repository("/p/.git/worktrees/wt"),
    "/p/.git/worktrees/wt/commondir": "../..\n",
    **repository("/p/bare"),
    **repository("/p/deep/deep"),
    **repository("/p/into"),
    "/p/into/link": "→ /p/packages",
    **repository("/other/.git"),
    **repository("/home/me/other/.git"),
    "/p/lib/.git": "gitdir: ../.git/modules/lib\n",
    "/wt/.git": "gitdir: /p/.git/worktrees/wt\n",
    "/p/run.sh": "",
    "/p/packages/a/package.json": "",
    "/p/shadow/argparse.py": "",
    "/p/package/json/__init__.py": "",
    "/p/data/json/a.json": "",
    "/p/.venv/bin/git": "",
    "/tmp/bin/ls": "",
    "/usr/bin/git": "",
    "/usr/bin/ls": "",
    "/usr/bin/mine": "→ /p/tool",
    "/p/tool": "",
    "/empty/a": "",
}
RULES = """
prefix_rule(["./run.sh"])
prefix_rule(["npm", "test"])
prefix_rule(["make", "lint"], below = True)
prefix_rule(["frobnicate"])
"""


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    shipped = Engine.load(rules=[]).snapshot
    rules = [r for r in compile_text(RULES).rules if isinstance(r, PrefixRule)]
    return shipped.replace(policy=shipped.policy.beside(PackedRules.of(rules)), home=HOME)


def verdict(snapshot: Snapshot, text: str, cwd: str = "/p", **machine: tuple[str, ...]) -> Verdict:
    return decide(Request(text=text, cwd=cwd), snapshot, Machine(FILES, **machine))  # type: ignore[arg-type]


def allowed(snapshot: Snapshot, text: str, cwd: str = "/p", **machine: tuple[str, ...]) -> bool:
    return verdict(snapshot, text, cwd, **machine).decision is Decision.ALLOW


@pytest.mark.parametrize(
    ("text", "allows"),
    [
        ("./run.sh", True),
        ("cd /p && ./run.sh", True),
        ("cd packages/a; ./run.sh", False),
        ("cd /other && ./run.sh", False),
        ("pushd packages/a; ./run.sh", False),
        ("env -C packages/a ./run.sh", False),
        ("cd $x; ./run.sh", False),
        ("./run.sh; cd packages/a", True),
        ("for i in 1 2; do ./run.sh; cd packages; done", False),
        ("f() { ./run.sh; }; cd packages; f", False),
        ("bash -c 'cd packages; ./run.sh'", False),
        ("npm test", True),
        ("cd packages/a && npm test", False),
        ("make lint", True),
        ("cd packages/a && make lint", True),
        ("cd /other && make lint", False),
        ("cd packages/../../other && make lint", False),
        # a program of which nothing is known does not count as reading its project
        ("cd packages/a && frobnicate", True),
    ],
)
def test_a_rule_for_the_project_is_meant_in_its_root(
    snapshot: Snapshot, text: str, allows: bool
) -> None:
    assert allowed(snapshot, text) is allows


def test_find_runs_it_elsewhere(snapshot: Snapshot) -> None:
    assert not allowed(snapshot, r"find . -name x -execdir ./run.sh \;")


def test_the_root_of_a_check_is_the_repository_of_its_directory(snapshot: Snapshot) -> None:
    assert not allowed(snapshot, "npm test", "/p/packages/a")
    assert allowed(snapshot, "make lint", "/p/packages/a")


def test_an_amendment_offers_what_holds_below(snapshot: Snapshot) -> None:
    (amendment,) = verdict(snapshot, "cd packages/a && pytest -q").amendments
    assert (amendment.pattern, amendment.below) == (("pytest",), True)


@pytest.mark.parametrize(
    ("text", "allows"),
    [
        ("git status", True),
        ("git -C packages/a diff", True),
        ("cd lib && git log", True),
        ("git -C /wt status", True),
        ("cd bare && git status", False),
        ("cd .git && git status", False),
        ("git -C bare log", False),
        ("git -C /other diff", False),
        ("git -C ~/other diff", False),
        ('git -C "$HOME"/other diff', False),
        ("env -C ~/other git diff", False),
        ("env -C packages env -C ~/other git diff", False),
        # a shell that is in another directory changes it from there
        ("env -C packages bash -c 'cd a && git diff'", True),
        ("env -C packages bash -c 'cd ../bare && git diff'", False),
        ("env -C packages bash -c 'cd ..; env -C bare git diff'", False),
        ("env -C ~ bash -c 'cd other && git diff'", False),
        ("git -C ~/../../p/packages/a diff", True),
        ("cd lib; git log; cd ..; cd packages; git log; cd ..; cd lib; git log", True),
        # where there are more directories than are followed, any may be the one
        ("; ".join(f"cd d{i}" for i in range(9)) + "; git log", False),
        (
            f"case $x in {' '.join(f'{i}) cd d{i};;' for i in range(30))} *) cd ..;; esac; "
            "cd other; git log",
            False,
        ),
        ("cd /empty && git status", True),
        ("cd nowhere && git status", True),
        ("mkdir nowhere; cd nowhere && git status", False),
        ("git -C $x diff", False),
        ("git -C /other --version", True),
        # what stands in the words of `cd` runs before it
        ('cd "$(git rev-parse --show-toplevel)" && ls', True),
        ("pushd /other/$(git log -1 --format=%h)", True),
        ("cd $(cd /other; git status)", False),
        ("cd /other; ls $(git status)", False),
        ('cd /other-other-other-other; eval "git status"', False),
        ("for i in 1 2; do cd /other$(git status); done", False),
        # what may come back to a command, however it is written
        ("function\tf { git status; }; cd /other; f", False),
        ("f ( ) { git status; }; cd /other; f", False),
        ("for i in 1 2; { git status; cd /other; }", False),
        ("for ((i=0;i<2;i++)); { git status; cd /other; }", False),
        ("for i in 1 2; do git status; cd /other; do\\\nne", False),
        ("while git status; do cd /other; done", False),
        ("trap 'git status' EXIT; cd /other", False),
        ("git status; cd /other; echo done; echo 'function f ()'", True),
        # and however often it does
        ("for i in 1 2 3; do git log; cd ..; done", True),
        ("for i in 1 2 3; do git log; cd deep; done", False),
        ("f() { cd bare; }; cd lib; cd ..; f; git log", False),
        # a shell goes up by the text, the kernel by what a link leads to
        ("cd into/link/..; git log", False),
        # in a list each command runs only after all before it succeeded
        ("cd /other && git status; echo a || true", False),
        ("cd /other && cd /p && git status", True),
        ("cd /other || cd /p && git status", False),
        ("! cd /p && git status; cd /other && cd /p && git log", True),
        ("cd /other | true && git status", False),
        ("(cd /other && true) && git status", False),
        ("cd /other && { cd /p && git status; }", True),
    ],
)
def test_git_reads_only_in_the_own_repository(snapshot: Snapshot, text: str, allows: bool) -> None:
    assert allowed(snapshot, text) is allows


@pytest.mark.parametrize(
    ("text", "allows"),
    [
        ("python3 -m json.tool a", True),
        ("cd shadow && python3 -m json.tool a", False),
        ("cd package && python3 -m json.tool a", False),
        ("cd data && python3 -m json.tool a", True),
        ("cd shadow && python3 -I -m json.tool a", True),
        ("cd shadow && python3 -P -m json.tool a", True),
        ("cd shadow && python3 -Imjson.tool a", True),
        ("cd shadow && python3 -mjson.tool a", False),
        ("cd $x && python3 -m json.tool a", False),
        # what the text makes may be imported as well
        ("echo x > json.py; python3 -m json.tool a", False),
        ("cp a re.py; python3 -m json.tool a", False),
        ("mkdir json; echo x > json/__init__.py; python3 -m json.tool a", False),
        ("mv a json; python3 -m json.tool a", False),
        ("git checkout b; python3 -m json.tool a", False),
    ],
)
def test_python_imports_what_stands_in_the_directory(
    snapshot: Snapshot, text: str, allows: bool
) -> None:
    assert allowed(snapshot, text) is allows


@pytest.mark.parametrize(
    ("path", "text", "allows"),
    [
        (("/usr/bin",), "git status", True),
        (("/p/.venv/bin", "/usr/bin"), "git status", False),
        (("/usr/bin", "/p/.venv/bin"), "git status", True),
        (("/p/.venv/bin", "/usr/bin"), "ls", True),
        (("/tmp/bin", "/usr/bin"), "ls", False),
        (("bin", "/usr/bin"), "ls", False),
        (("/p/.venv/bin",), "timeout 5 git status", False),
    ],
)
def test_a_program_is_what_path_finds(
    snapshot: Snapshot, path: tuple[str, ...], text: str, allows: bool
) -> None:
    assert allowed(snapshot, text, path=path) is allows


def test_a_rule_is_no_rule_for_a_program_of_the_project(snapshot: Snapshot) -> None:
    rules = [r for r in compile_text('prefix_rule(["mine"])').rules if isinstance(r, PrefixRule)]
    with_rule = snapshot.replace(policy=snapshot.policy.beside(PackedRules.of(rules)))
    assert not allowed(with_rule, "mine")
    assert allowed(with_rule, "mine", "/empty")
