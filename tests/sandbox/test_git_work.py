"""Work with git in several calls ends as it does outside; what it may not leave is moved away."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from execpolicy import Decision, Engine
from execpolicy.places.repository import history
from execpolicy.places.repository.unfinished import starts_nothing
from execpolicy.sandbox import Sandbox
from execpolicy.support.resources import presets_directory
from tests.sandbox.test_run import ROOT, command, run
from tests.waiting import HANG_SECONDS, Process

BRANCHES = """
git config user.name a; git config user.email a@b; git branch -m main
git checkout -qb side; echo side > a.txt; git commit -qam side-1; echo b > b; git add b
git commit -qm side-2; git checkout -q main; echo main > a.txt; git commit -qam main-1
"""
SOLVED = "echo both > a.txt; git add a.txt"
WORK: dict[str, list[str]] = {
    "rebase, a conflict, --continue": [
        "git checkout -q side", "git rebase main", "git status --short", SOLVED,
        "GIT_EDITOR=true git rebase --continue",
    ],
    "rebase, --abort": ["git checkout -q side", "git rebase main", "git rebase --abort"],
    "rebase, --skip": ["git checkout -q side", "git rebase main", "git rebase --skip"],
    "rebase --apply": [
        "git checkout -q side", "git rebase --apply main", SOLVED,
        "GIT_EDITOR=: git rebase --continue",
    ],
    "cherry-pick of a range": ["git cherry-pick main..side", SOLVED,
                               "GIT_EDITOR=true git cherry-pick --continue"],
    "cherry-pick --abort": ["git cherry-pick main..side", "git cherry-pick --abort"],
    "revert of a range": ["git revert --no-edit HEAD~1 HEAD", "git revert --abort"],
    "am -3, a conflict, --abort": ["git format-patch -q -2 side -o /tmp/p && git am -3 /tmp/p/*",
                                   "git am --abort"],
    "merge, a conflict, --abort": ["git merge side", "git merge --abort"],
    "stash and pop": ["echo x > a.txt", "git stash -q", "git stash pop"],
    "a work tree inside": ["git worktree add -q wt side", "git -C wt log --format=%s",
                           "echo c > wt/c", "git worktree list | wc -l"],
}  # fmt: skip


@pytest.mark.parametrize("name", WORK)
def test_work_in_several_calls_ends_as_outside(project: Path, name: str) -> None:
    subprocess.run(["bash", "-ec", BRANCHES], cwd=project, check=True)
    copy = project.parent / "outside"
    shutil.copytree(project, copy)
    for text in WORK[name]:
        inside = run(project, "-c", text)
        outside = _outside(copy, text)
        told = [line for line in inside.stderr.splitlines() if "execpolicy:" in line]
        assert inside.returncode == outside.returncode, (text, inside, outside)
        assert all("execpolicy undo" in line for line in told), (text, inside)
    assert _state(project) == _state(copy)


def _outside(cwd: Path, text: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["bash", "-c", text], cwd=cwd, capture_output=True, text=True,
                          timeout=HANG_SECONDS)  # fmt: skip


def _state(cwd: Path) -> list[str]:
    # The order of `--all` is that of the times of commits.
    refs = "for ref in $(git for-each-ref --format='%(refname)'); do"
    logs = f'{refs} git log --first-parent --format="$ref %s" $ref; done'
    shown = f"{logs}; git status --short --branch; cat a.txt; ls .git"
    return _outside(cwd, shown).stdout.split("\n")


STATES = [
    # what a command that may write to the git directory leaves there, and whether it stays
    ("rebase-merge/git-rebase-todo", "pick 123 one\n# exec\nfixup -C 123 two\n", True),
    ("rebase-merge/git-rebase-todo", "pick 123 one\nexec touch x\n", False),
    ("rebase-merge/git-rebase-todo", "  x touch x\n", False),
    ("rebase-merge/strategy", "ort\n", True),
    ("rebase-merge/strategy", "mine\n", False),
    ("sequencer/opts", "[options]\n\tstrategy = ours\n\tmainline = 1\n", True),
    ("sequencer/opts", "[options]\n\tstrategy = mine\n", False),
    ("rebase-apply/apply-opt", "-C1\n", True),
    ("rebase-apply/apply-opt", "--unsafe-paths\n", False),
]


@pytest.mark.parametrize(("name", "text", "stays"), STATES)
def test_what_git_goes_on_with_starts_nothing(
    project: Path, name: str, text: str, stays: bool
) -> None:
    path = project / ".git" / name
    path.parent.mkdir()
    done = run(project, "-c", f"printf -- '{text}' > {path}; git add a.txt")
    assert (path.exists(), "was moved" in done.stderr) == (stays, not stays), done.stderr


def test_links_in_it_do_not_stay(project: Path) -> None:
    state = project / ".git/rebase-merge"
    state.mkdir()
    (state / "done").symlink_to("../../a.txt")
    assert not starts_nothing(str(state))
    (state / "done").unlink()
    os.link(project / "a.txt", state / "done")
    assert not starts_nothing(str(state))


def test_one_that_starts_something_is_not_gone_on_with(project: Path) -> None:
    """It is the user's own: git would run its line."""
    todo = project / ".git/rebase-merge/git-rebase-todo"
    todo.parent.mkdir()
    todo.write_text("exec true\n")
    assert run(project, "-c", f"echo 'exec false' > {todo}; git add a.txt").returncode == 128
    assert todo.read_text() == "exec true\n"


FORGED = [
    # what is written beside an honest work tree: none of it stays
    "echo 'gitdir: {git}/worktrees/none' > t/.git",
    "echo 'gitdir: {own}' > t/.git; echo ../../x > {own}/commondir; echo {at} > {own}/gitdir",
    "echo 'gitdir: {own}' > t/.git; echo ../.. > {own}/commondir; echo {top}/x/.git > {own}/gitdir",
    "echo 'gitdir: {top}/x' > t/.git; echo ../.. > {own}/commondir; echo {at} > {own}/gitdir",
]


@pytest.mark.parametrize("text", FORGED)
def test_a_work_tree_that_leads_elsewhere_does_not_stay(project: Path, text: str) -> None:
    own = project / ".git/worktrees/t"
    for path in (own, project / "t"):
        path.mkdir(parents=True)
    made = text.format(git=project / ".git", own=own, top=project, at=project / "t/.git")
    words = command(project, "-c", f"{made}; git add a.txt")
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=HANG_SECONDS)
    assert not os.path.lexists(project / "t/.git"), done.stderr


def test_a_work_tree_whose_repository_is_a_temporary_one(project: Path, tmp_path: Path) -> None:
    top = tmp_path / "repository"
    linked = project.parent / "linked"
    shutil.copytree(project, top)
    _outside(top, f"git worktree add -q {linked}")
    for text in ("git status --short", "echo x > x; git add x; git status --short"):
        words = [*command(linked, "-c", text)]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=HANG_SECONDS)
        assert done.returncode == 0, done.stderr
    assert done.stdout == "A  x\n"


def test_git_config_writes_where_a_rule_lets_it(project: Path) -> None:
    """git puts a new file in the place of the old one, which a mount on it would refuse."""
    with (project.parent / "a.rules").open("a") as rules:
        rules.write('path_rule(["./.git/config"], modes = ["write"], decision = "allow")\n')
    done = run(project, "-c", "git config user.name confined")
    assert done.returncode == 0, done.stderr
    assert "confined" in (project / ".git/config").read_text()


CONTROL = """
git config user.name a; git config user.email a@b; git branch -m main; git checkout -qb bare
git checkout -qb ctl; mkdir -p .vscode .husky; echo one > .vscode/settings.json
echo one > .husky/pre-push; git add .; git commit -qm one; git checkout -qb next
echo two > .vscode/settings.json; echo two > .husky/pre-push; echo b > .husky/pre-merge
git add .; git commit -qm two; git checkout -q main; echo m > m; git add m; git commit -qm m
"""
BROUGHT = [
    # where from, and what brings, changes or takes away control files
    ("main", "git merge -q --no-edit ctl"),
    ("main", "git merge -q --no-edit next"),
    ("main", "git switch -q ctl"),
    ("main", "git checkout -q ctl"),
    ("main", "git cherry-pick ctl"),
    ("main", "git cherry-pick main..next"),
    ("main", "git rebase -q ctl"),
    ("bare", "git merge -q --ff-only next"),
    ("ctl", "git switch -q next"),
    ("ctl", "git switch -q main"),
    ("ctl", "git rebase -q main"),
    ("next", "git revert --no-edit HEAD"),
    ("next", "git switch -q -c more HEAD~1"),
    ("main", "git checkout -q next && git checkout -q -"),
    ("main", "git worktree add -q wt next && git worktree remove wt"),
    ("main", "git reset -q --hard ctl"),
    ("main", "git restore --source ctl .vscode"),
    ("main", "git checkout ctl -- .husky .vscode"),
]


def _tree(cwd: Path) -> str:
    shown = "git status --short; git branch --show-current; ls -A; "
    shown += "grep -rs --exclude=.git '' .vscode .husky wt"
    return _outside(cwd, shown).stdout


@pytest.mark.parametrize("asks", [True, False])
@pytest.mark.parametrize(("at", "text"), BROUGHT)
def test_control_files_of_a_commit_are_asked_about_and_stay(
    project: Path, at: str, text: str, asks: bool
) -> None:
    subprocess.run(["bash", "-ec", CONTROL + f"git checkout -q {at}"], cwd=project, check=True)
    copy = project.parent / "outside"
    shutil.copytree(project, copy)
    with (project.parent / "a.rules").open("a") as file:
        file.write("" if asks else 'prefix_rule(["git"], "allow")\n')
    done = run(project, "-c", text)
    if asks:
        assert (done.returncode, _tree(project)) == (123, _tree(copy)), done
        return
    outside = _outside(copy, text)
    assert (done.returncode, _tree(project)) == (outside.returncode, _tree(copy)), (done, outside)


def test_a_new_work_tree_is_whole(project: Path) -> None:
    """Its rules allow the command without the sandbox, too."""
    subprocess.run(["bash", "-ec", CONTROL], cwd=project, check=True)
    done = run(project, "-c", "git worktree add -q wt next && git -C wt status --short")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


QUIET = [
    # nothing that is protected comes with these
    "git merge -q --no-edit bare",
    "git switch -q bare",
    "git worktree add -q wt bare",
]


@pytest.mark.parametrize("text", QUIET)
def test_what_brings_none_is_not_asked_about(project: Path, text: str) -> None:
    subprocess.run(["bash", "-ec", CONTROL], cwd=project, check=True)
    assert run(project, "-c", text).returncode == 0


PLANTED = [
    # what else may lie there then is moved away
    "git switch -q ctl && mkdir .idea && cat a.txt > .idea/x",
    "git switch -q ctl && mkdir -p .vscode/sub/.idea",
]


@pytest.mark.parametrize("text", PLANTED)
def test_what_no_commit_has_does_not_stay(project: Path, text: str) -> None:
    subprocess.run(["bash", "-ec", CONTROL], cwd=project, check=True)
    with (project.parent / "a.rules").open("a") as file:
        file.write('prefix_rule(["git"], "allow")\n')
    run(project, "-c", text)
    assert (project / ".vscode/settings.json").exists()
    assert not [*project.glob("**/.idea")]


@pytest.fixture
def fetching(project: Path) -> Path:
    """A project that follows another repository, of which the next commits have control files."""
    up = project.parent / "up"
    shutil.copytree(project, up)
    _outside(up, f"set -e; {CONTROL}")
    given = f"git remote add origin {up}; git fetch -q; git branch -m main; git config user.name a"
    given += "; git config user.email a@b; git branch -q -u origin/ctl; git branch work origin/ctl"
    _outside(project, given)
    rule = f'path_rule(["{up}/*"], modes = ["read"], decision = "allow")\n'
    with (project.parent / "a.rules").open("a") as file:
        file.write(rule)
    return project


FETCHED = [
    # what gets files under protected names from another repository, and whether that asks first
    ("git clone -q ../up new", False),
    ("git clone -q -b next ../up sub/new && ls -A sub/new/.husky", False),
    ("git init -q new && git -C new pull -q ../../up next", True),
    ("git pull -q", True),
    ("git pull -q ../up next", True),
    ("git pull -q --rebase origin next", True),
    ("git switch -q work && git pull -q origin next", True),
    ("git pull -q origin ctl && git pull -q origin next && git reset -q --hard HEAD~1", True),
]


@pytest.mark.parametrize("allowed", [True, False])
@pytest.mark.parametrize(("text", "asks"), FETCHED)
def test_what_is_fetched_under_protected_names_stays(
    fetching: Path, text: str, asks: bool, allowed: bool
) -> None:
    copy = fetching.parent / "outside"
    shutil.copytree(fetching, copy)
    with (fetching.parent / "a.rules").open("a") as file:
        file.write('prefix_rule(["git"], "allow")\n' if allowed else "")
    done, shown = (
        run(fetching, "-c", text),
        "git status -sb; find . -path '*/.git' -prune -o -print",
    )
    if asks and not allowed:
        assert (done.returncode, "protected" in done.stderr) == (123, True), done
        assert not (fetching / "new").exists()
        return
    outside = _outside(copy, text)
    assert outside.returncode == 0
    assert (done.returncode, done.stdout) == (outside.returncode, outside.stdout), done
    assert "was moved" not in done.stderr
    trees = [sorted(_outside(cwd, shown).stdout.split("\n")) for cwd in (fetching, copy)]
    assert trees[0] == trees[1]


def test_a_list_of_which_a_part_may_use_a_key_asks_before_its_first_part(fetching: Path) -> None:
    done = run(fetching, "-c", "git init -q new && git -C new pull -q https://git.invalid/up next")
    assert (done.returncode, "protected" in done.stderr) == (123, True), done
    assert not (fetching / "new").exists()


FORGED_CLONES = [
    # a repository that a program made, where it is cloned to, and what may not stay then
    (".vscode/tasks.json", "new && echo x > new/.envrc", "new/.envrc"),
    ("tasks.json", ".vscode", ".vscode/tasks.json"),
    ("config.toml", ".cargo", ".cargo/config.toml"),
    ("pre-commit", "hooks", "hooks/pre-commit"),
    (".githooks/pre-commit", "run", "run/.githooks/pre-commit"),
    (".envrc", "named", "named/.envrc"),
    (".envrc", "ruled", "ruled/.envrc"),
    (".envrc", "new | python3 -c 'pass'", "new/.envrc"),
    (".envrc", "new; cp -r new/.envrc .", ".envrc"),
]


@pytest.mark.parametrize(("name", "to", "left"), FORGED_CLONES)
def test_a_clone_leaves_nothing_that_steers_the_project(
    fetching: Path, name: str, to: str, left: str
) -> None:
    up = fetching.parent / "up"
    (up / name).parent.mkdir(exist_ok=True)
    (up / name).write_text("evil")
    _outside(up, "git switch -qc evil; git add .; git commit -qm evil")
    hooks = f"{to}/.githooks" if to == "run" else "hooks"
    _outside(fetching, f"git config core.hooksPath {hooks}")
    with (fetching.parent / "a.rules").open("a") as file:
        file.write('place("control", ["./named/.envrc"])\n')
        file.write('path_rule(["./ruled/.envrc"], modes = ["write"], decision = "prompt")\n')
    done = run(fetching, "-c", f"git clone -q ../up {to}")
    assert not os.path.lexists(fetching / left), done


LISTS = [
    # a list, its exit code, and what git has staged then
    ("python3 a.py && git add new", 0, "A  new\n"),
    ("python3 a.py 3 && git add new", 3, ""),
    ("python3 a.py 3 || git add new", 0, "A  new\n"),
    ("python3 a.py 3; git add new; python3 a.py 4", 4, "A  new\n"),
    ("python3 a.py | cat && git add new && git commit -qm \"$(cat <<'E'\ntwo\nE\n)\"", 0, ""),
    ("cd . && python3 a.py && git add new", 0, "A  new\n"),
    ("X=1; cd .; python3 a.py 3; git add new", 0, "A  new\n"),
    ("mkdir -p d && cd d && python3 ../a.py && git add ../new", 0, "A  new\n"),
    ("python3 a.py && cd . ; git add new", 122, ""),
    ("python3 a.py && git add $?", 122, ""),
]


@pytest.mark.parametrize(("text", "code", "staged"), LISTS)
def test_the_parts_of_a_list_run_apart(
    project: Path, monkeypatch: pytest.MonkeyPatch, text: str, code: int, staged: str
) -> None:
    """Beside git's directory nothing of the project runs: tests first, then git alone."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    _outside(project, "git config user.name a; git config user.email a@b")
    (project / "a.py").write_text(
        "import sys, os\nassert not os.access('.git/index', os.W_OK)\nsys.exit(int(sys.argv[-1]))"
        if " 3" in text or " 4" in text
        else "import os\nassert not os.access('.git/index', os.W_OK)"
    )
    (project / "new").touch()
    rules = project.parent / "a.rules"
    rules.write_text((Path(presets_directory()) / "developer.rules").read_text())
    done = run(project, "--status-fd", "1", "-c", text)
    assert (done.returncode, f'{{"exit": {code}' in done.stdout) == (code, True), done.stderr
    assert _outside(project, "git status --short -uno").stdout == staged


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_list_that_is_interrupted_does_not_go_on(
    project: Path, monkeypatch: pytest.MonkeyPatch, end: signal.Signals
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (project / "new").touch()
    preset = Path(presets_directory()) / "developer.rules"
    (project.parent / "a.rules").write_text(preset.read_text())
    (project / "a.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(600)")
    words = command(project, "-c", "python3 a.py; git add new")
    with Process(words, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(end)
        assert process.wait(HANG_SECONDS) == 128 + end
    assert _outside(project, "git status --short -uno").stdout == ""


@pytest.mark.parametrize("allowed", [True, False])
def test_where_git_does_not_answer_what_it_brings_is_not_known(
    project: Path, monkeypatch: pytest.MonkeyPatch, allowed: bool
) -> None:
    subprocess.run(["bash", "-ec", CONTROL], cwd=project, check=True)
    with (project.parent / "a.rules").open("a") as file:
        file.write('prefix_rule(["git"], "allow")\n' if allowed else "")
    monkeypatch.setattr(history, "ask", lambda *_: None)
    policy = [str(project.parent / "a.rules")]
    sandbox = Sandbox(Engine.load(rules=policy, cwd=str(project)), confined=True)
    attempt = sandbox.attempt("git merge -q --no-edit ctl", cwd=str(project))
    assert attempt.ruling.decision is (Decision.ALLOW if allowed else Decision.PROMPT)
    if allowed:
        assert sandbox.carry_out(attempt).moved == ()
        assert (project / ".vscode/settings.json").exists()
