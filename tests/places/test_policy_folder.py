"""No rule for a command lets it change the policy, whether or not it names the files it changes."""

import pytest

from execpolicy.catalogue import Reading, read
from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Exec, Request
from execpolicy.model.rule import Origin, PrefixRule
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.store.snapshot import Snapshot
from tests.catalogue.shipped import RULES, everything, programs
from tests.places.machine import Machine, repository

HOME = "/home/me"
FILES = {
    **repository("/p/.git"),
    "/p/.execpolicy/rules/a.rules": "",
    "/p/src/a.py": "",
    "/p/a.txt": "",
    "/p/src/link": "→ /p/.execpolicy",
    **repository("/q/.git"),
    "/q/a.txt": "",
    "/q/sub/.execpolicy/a.rules": "",
    f"{HOME}/.config/execpolicy/user.rules": "",
}
EXAMPLES = sorted(
    {
        line
        for path in RULES
        for program in programs(path)
        for effect, lines in program.examples
        for line in lines
        if effect in ("write", "destroy")
    }
)


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    """The shipped policy, with an allow rule for every program that it knows."""
    loaded = Engine.load(rules=[]).snapshot.replace(home=HOME)
    names = {line.split()[0] for line in EXAMPLES}
    origin = Origin("user", "a.rules", 1)
    rules = [PrefixRule(((name,),), Decision.ALLOW, None, origin) for name in sorted(names)]
    return loaded.replace(policy=loaded.policy.beside(PackedRules.of(rules)))


def allowed(snapshot: Snapshot, text: str, cwd: str = "/p") -> bool:
    verdict = decide(Request(text=text, cwd=cwd), snapshot, Machine(FILES))
    return verdict.decision is Decision.ALLOW


ANYWHERE_BELOW = """
tar xf a.tar
tar -C src -xf a.tar
unzip a.zip
unzip -d . a.zip
cpio -i -F a
7z x a.7z
jar xf a.jar
patch -p1 -i a.diff
git checkout .
git restore .
git reset --hard
git clean -fd
git stash pop
git pull
git apply a.diff
cd src && git checkout main
find . -delete
find -name '*.rules' -delete
rsync -a ../a/ .
rm -rf .
rm -rf ../p
mv ../p ../r
cp -a ../a/. .
"""


@pytest.mark.parametrize("text", ANYWHERE_BELOW.split("\n")[1:-1])
def test_what_changes_a_whole_directory_may_change_the_policy_in_it(
    snapshot: Snapshot, text: str
) -> None:
    assert not allowed(snapshot, text)
    if "../" not in text:
        assert allowed(snapshot, text.replace("src", "."), "/q")


@pytest.mark.parametrize(
    "text",
    [
        *("git add -A", "git commit -m x", "git checkout -b x", "git switch -c x"),
        *("rm -rf src", "cp a.txt b.txt", "cp a.txt .", "mv a.txt src", "tar cf a.tar src"),
        *("find src -delete", "npm init -y", "mkdir -p build", "rm -rf *"),
    ],
)
def test_what_leaves_the_policy_alone(snapshot: Snapshot, text: str) -> None:
    assert allowed(snapshot, text)


@pytest.mark.parametrize(
    ("text", "cwd"),
    [
        ("cd .execpolicy && tar xf /a.tar", "/p"),
        ("cd src/link && curl -O https://example.com/a.rules", "/p"),
        ("git -C .execpolicy stash pop", "/p"),
        ("wget https://example.com/a.rules", "/p/.execpolicy/rules"),
        ("rm -rf sub", "/q"),
        ("tar xf a.tar", HOME),
        ("tar xf a.tar", f"{HOME}/.config"),
        ("unzip a.zip", f"{HOME}/.config/execpolicy"),
        ("tar xf a.tar", "/q/.git/hooks"),
    ],
)
def test_where_it_runs_is_what_it_changes(snapshot: Snapshot, text: str, cwd: str) -> None:
    assert not allowed(snapshot, text, cwd)


@pytest.mark.parametrize(
    "text",
    [
        *("execpolicy trust", "python3 -m execpolicy trust", "python3 -Im execpolicy trust"),
        *("python3 -mexecpolicy trust", "python -m execpolicy.__main__ amend -- ls"),
        *("python3.12 -Imexecpolicy install --all", "timeout 5 python3 -uB -m execpolicy init"),
    ],
)
def test_only_a_person_changes_it_however_the_engine_is_called(
    snapshot: Snapshot, text: str
) -> None:
    assert not allowed(snapshot, text)


def test_in_the_folder_of_the_policy_every_program_only_reads(snapshot: Snapshot) -> None:
    machine, catalogue = Machine(FILES), everything()[0]
    passed = []
    for line in EXAMPLES:
        verdict = decide(Request(text=line, cwd="/p/.execpolicy"), snapshot, machine)
        if verdict.decision is Decision.ALLOW:
            commands = [j.operation for j in verdict.judged if isinstance(j.operation, Exec)]
            passed += [line for c in commands if _changes_unnamed(read(c.argv, catalogue))]
    assert not passed


def _changes_unnamed(reading: Reading) -> bool:
    """Whether it does more than read with what no word names, whatever files are there."""
    causes = (c for c in reading.effects if c not in reading.unless_inner_reads and not c.where)
    return any(c.effect != "read" and not isinstance(c.subject, Access) for c in causes)
