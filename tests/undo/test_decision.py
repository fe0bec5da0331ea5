"""What destroys passes in the sandbox where a snapshot holds it, and nowhere else."""

from pathlib import Path

import pytest

from execpolicy import Decision, Engine
from execpolicy.commands.undo_show import git_elsewhere
from execpolicy.engine.standing import askings
from execpolicy.model.confinement import SandboxSettings, settle
from execpolicy.model.operation import Request
from execpolicy.sandbox.ruling import ruling
from execpolicy.sandbox.scan.git import GitUse
from execpolicy.support import directories
from execpolicy.undo.store import Limits, RecordedCall, Store, UndoError
from tests.undo.worlds import sh

ALLOW, PROMPT, FORBIDDEN = Decision
DEVELOPER = Path(__file__).parents[2] / "rules/presets/developer.rules"


@pytest.fixture
def project(home: Path) -> Path:
    root = home / "work/p"
    root.mkdir(parents=True)
    (root / "src").mkdir()
    (root / "src/a.py").write_text("x = 1\n")
    sh("git init -q -b main && git add -A && git commit -qm one", root, check=True)
    (root / "notes").write_text("not tracked\n")
    (root / ".env").write_text("KEY=1\n")
    (root / "out").symlink_to("/etc")
    other = home / "work/other"
    other.mkdir()
    sh("git init -q", other, check=True)
    return root


def engine(project: Path, more: str = "") -> Engine:
    rules = project.parent / "a.rules"
    rules.write_text(DEVELOPER.read_text() + more)
    return Engine.load(rules=[str(rules)], cwd=str(project))


CALLS = [
    ("rm notes", ALLOW),
    ("rm -rf src notes", ALLOW),
    ("rm -rf ./*", ALLOW),
    ("rm -- *", ALLOW),
    ("find . -name '*.pyc' -delete", ALLOW),
    ("echo x > notes", ALLOW),
    ("mv src/a.py notes", ALLOW),
    ("cp src/a.py notes", ALLOW),
    ("truncate -s 0 notes", ALLOW),
    ("git reset --hard", ALLOW),
    ("git checkout -- .", ALLOW),
    ("git clean -fdx", ALLOW),
    ("git branch -D other", ALLOW),
    ("git stash drop", ALLOW),
    ("cd src && rm -f ../notes", ALLOW),
    # A computed word may be an option, which does no more than code of the project may.
    ('find "$d" -name a.py', ALLOW),
    ("find $(echo src) -maxdepth 1 -name a.py", ALLOW),
    ('find "$d" -name a.py -delete', PROMPT),
    ('tar "$d"', PROMPT),
    ('docker "$d"', PROMPT),
    # It lies elsewhere, or leads there.
    ("rm -rf ~/work/other", PROMPT),
    ("rm -rf ../other", PROMPT),
    ("rm notes ~/work/other/x", PROMPT),
    ("rm out/passwd", PROMPT),
    ("rm -rf out/", FORBIDDEN),
    ("git -C ../other reset --hard", PROMPT),
    ("cd ../other && git clean -fdx", PROMPT),
    ("git --work-tree=../other reset --hard", PROMPT),
    ("GIT_DIR=../other/.git git reset --hard", PROMPT),
    ("export GIT_DIR=../other/.git; git reset --hard", PROMPT),
    # Another machine, a server or a device loses it.
    ("git push -f", PROMPT),
    ("git push origin :main", PROMPT),
    ("docker system prune -f", PROMPT),
    ("docker volume rm data", PROMPT),
    ("dropdb app", PROMPT),
    ("kubectl delete pod x", PROMPT),
    ("rm -rf notes && git push -f", PROMPT),
    ("dd if=/dev/zero of=/dev/sda", FORBIDDEN),
    # What is laid over a path asks inside, too.
    ("rm .env", PROMPT),
    ("rm -rf .git/hooks", PROMPT),
    ("rm -rf .git", FORBIDDEN),
    ("rm -rf $x", PROMPT),
]


@pytest.mark.parametrize(("text", "confined"), CALLS, ids=[text for text, _ in CALLS])
def test_confined(project: Path, text: str, confined: Decision) -> None:
    made = engine(project)
    verdict = made.check(text, cwd=str(project))
    assert verdict.confined is confined
    if confined is ALLOW:
        assert verdict.decision is PROMPT, "outside of the sandbox it asks as ever"
        assert any(match.undo for match in verdict.matches)


OFF = [
    ("the preset does not want it", "sandbox(undo = False)\n"),
    ("there are no walls", 'sandbox(backend = "none")\n'),
    ("the walls are not ours", 'sandbox(backend = "external")\n'),
    ("caches are written", 'sandbox(caches = "write")\n'),
    ("another project is open", 'place("project", ["~/work/other/*"])\n'),
    ("the posture forbids it", 'posture(destroy = "forbidden")\n'),
    ("a rule asks", 'prefix_rule(["rm"], "prompt")\n'),
    ("writing asks", 'posture(write = "prompt", confined = {"write": "prompt"})\n'),
]


@pytest.mark.parametrize(("why", "more"), OFF, ids=[why for why, _ in OFF])
def test_it_asks_where_undo_does_not_hold(project: Path, why: str, more: str) -> None:
    assert engine(project, more).check("rm notes", cwd=str(project)).confined is not ALLOW


def test_the_setting_turns_it_off(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXECPOLICY_UNDO", "false")
    assert engine(project).check("rm notes", cwd=str(project)).confined is PROMPT


def test_the_shipped_rules_alone_do_not_want_it(project: Path) -> None:
    verdict = Engine.load(rules=[], cwd=str(project)).check("rm notes", cwd=str(project))
    assert verdict.confined is PROMPT


def test_a_project_turns_it_off_and_never_on() -> None:
    from execpolicy.model.rule import Origin, SandboxRule

    def rule(layer: str, undo: bool) -> SandboxRule:
        return SandboxRule(Origin(layer, "f", 1), undo=undo)

    assert settle([rule("project", True)]).undo is False
    assert settle([rule("user", True), rule("project", False)]).undo is False
    assert settle([rule("user", True), rule("project", True)]).undo is True


def test_a_snapshot_that_failed_makes_it_ask(project: Path) -> None:
    for number in range(20):
        (project / f"f{number}").write_bytes(bytes([number]) * (1 << 14))
    store = Store(str(project), Limits(size=1 << 16))
    with pytest.raises(UndoError):
        store.take(RecordedCall("x", "/"))
    assert engine(project).check("rm notes", cwd=str(project)).confined is PROMPT
    Store(str(project)).take(RecordedCall("x", "/"))
    assert engine(project).check("rm notes", cwd=str(project)).confined is ALLOW


def test_it_asks_where_there_is_no_project(project: Path, home: Path) -> None:
    assert engine(project).check("rm work/p/notes", cwd=str(home)).confined is not ALLOW


def test_it_asks_where_the_git_directory_lies_elsewhere(project: Path, home: Path) -> None:
    tree = home / "work/tree"
    sh(f"git worktree add -q {tree}", project, check=True)
    made = Engine.load(rules=[str(DEVELOPER)], cwd=str(tree))
    assert made.check("git reset --hard", cwd=str(tree)).confined is PROMPT
    assert git_elsewhere(str(tree)) == f"{project}/.git/worktrees/tree"
    assert git_elsewhere(str(project)) == ""
    (tree / "notes").write_text("x\n")
    assert made.check("rm notes", cwd=str(tree)).confined is ALLOW


def test_a_part_of_a_repository_does_not_hold_all_of_it(project: Path) -> None:
    made = engine(project)
    request = Request("git reset --hard", cwd=str(project / "src"), root=str(project / "src"))
    assert made.decide(request).confined is PROMPT


def test_only_who_takes_a_snapshot_may_pass(project: Path) -> None:
    verdict = engine(project).check("rm notes", cwd=str(project))
    settings = SandboxSettings(undo=True)
    assert ruling(verdict, settings, True, GitUse()).decision is PROMPT
    passing = ruling(verdict, settings, True, GitUse(), snapshots=True)
    assert (passing.decision, passing.undo) == (ALLOW, True)


def test_a_sandbox_of_the_host_holds_with_a_snapshot_before(project: Path) -> None:
    made = engine(project)
    for text, held in (("rm notes", (True, True)), ("git push", (True, False))):
        found = askings(made.check(text, cwd=str(project)))
        assert [(each.held, each.undo) for each in found] == [held]


def test_the_answer_says_that_it_can_be_undone(project: Path) -> None:
    from execpolicy.commands.render.text import confined
    from execpolicy.engine.wire import to_wire

    verdict = engine(project).check("rm notes", cwd=str(project))
    assert confined(verdict).endswith("and can be undone (`execpolicy undo`)")
    assert '"undo": True' in str(to_wire(verdict)).replace("'", '"')


def test_agents_neither_read_nor_write_what_is_kept(project: Path) -> None:
    made = engine(project)
    store = directories.undo_of(directories.undo(), str(project))
    for text in (f"rm -rf {store}", f"echo x > {store}/read", f"touch {store}/snapshots/9"):
        verdict = made.check(text, cwd=str(project))
        assert (verdict.decision, verdict.confined) == (FORBIDDEN, FORBIDDEN), text


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("execpolicy undo --list", ALLOW),
        ("execpolicy undo --diff 7", ALLOW),
        ("execpolicy undo --prune --all", FORBIDDEN),
        ("python3 -m execpolicy undo --prune", FORBIDDEN),
        ("execpolicy undo 7 -- .git/hooks/pre-commit", PROMPT),
    ],
)
def test_what_an_agent_may_ask_undo_for(project: Path, text: str, decision: Decision) -> None:
    assert engine(project).check(text, cwd=str(project)).decision is decision
