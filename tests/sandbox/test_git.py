"""git by verdict: when its directory is opened, and what in it never is."""

import os
import subprocess
from pathlib import Path

import pytest

import execpolicy
from execpolicy.sandbox import Sandbox
from execpolicy.sandbox.box import use_of_git
from execpolicy.sandbox.plan import GitDirectories
from execpolicy.sandbox.scan.git import ITSELF, TWO_CALLS
from execpolicy.sandbox.scan.git_config import named
from execpolicy.sandbox.scan.repositories import is_plain
from tests.repositories import new_repository

STARTING = [
    *("GIT_EDITOR=./ev", "EDITOR=./ev", "VISUAL=./ev", "PATH=./bb:$PATH", "GIT_EXTERNAL_DIFF=./d"),
    *("GIT_SSH_COMMAND=./s", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_PARAMETERS=x", "GIT_DIR=d"),
    *("GIT_CONFIG_GLOBAL=g", "HOME=.", "XDG_CONFIG_HOME=.", "BASH_ENV=e", "LD_PRELOAD=./l"),
]
CASES = [
    ("git commit -m x", True),
    ("git add a && git commit -m x", True),
    ("echo x > a; git add a; pwd; git status", True),
    ("cat a | grep b; git commit -m x", True),
    ("a=b; for f in a b; do git add $f; done", True),
    ("LANG=C git stash", True),
    ("GIT_AUTHOR_NAME='a b' GIT_COMMITTER_DATE=2020-01-01 git commit -m x", True),
    ("GIT_EDITOR=true git commit --amend", True),
    ("export GIT_EDITOR=:; git commit --amend", True),
    ('while IFS= read -r f; do git add -- "$f"; done < a', True),
    ("GIT_PAGER=cat git stash", True),
    ("git status", False),
    ("ls", False),
    ("pytest && git commit -m x", False),
    ("git commit -m x; ./build.sh", False),
    ("$x; git commit", False),
    ("git commit -m x; rm -rf .git/hooks", False),
    ("bash -c 'make; git add a'", False),
    *((f"{one} git commit --allow-empty", False) for one in STARTING),
    *((f"export {one}; git commit --allow-empty", False) for one in STARTING),
    *((f"env {one} git commit --allow-empty", False) for one in STARTING),
    ("GIT_EDITOR=./ev; git commit --allow-empty", False),
    ("declare -x EDITOR=./ev; git commit", False),
    ("export A=b; git stash", True),
    (f"export PATH={os.environ['PATH']}; git stash", True),  # as it is anyway
    ("export HOME=/x; git stash", False),
    ("set -a; A=b; git stash", True),
    ("set -a; GIT_EDITOR=./ev; git stash", False),
    ("read GIT_EDITOR < a; git commit", False),
    ("printf -v PATH ./bb; git commit", False),
    ("bash -c 'VISUAL=./ev git commit'", False),
    ("GIT_EDITOR=$x git commit", False),
    ("PATH=./bb:$PATH ls; git commit -m x", False),
]


@pytest.mark.parametrize(("text", "opened"), CASES)
def test_when_it_is_opened(tmp_path: Path, text: str, opened: bool) -> None:
    (tmp_path / "a.rules").write_text('prefix_rule(["pytest"])\n')
    rules, cwd = [tmp_path / "a.rules"], str(tmp_path)
    engine, request = execpolicy.Engine.load(rules=rules), execpolicy.Request(text, cwd=cwd)
    use = use_of_git(request, engine.snapshot, engine.decide(request))
    assert use.opens is opened
    assert (use.refusal in (TWO_CALLS, ITSELF)) is (use.writes and not opened)


def sandbox(project: Path) -> Sandbox:
    return Sandbox(execpolicy.Engine.load(rules=[project.parent / "a.rules"], cwd=project))


KEPT = ["hooks/x", "config", "info/attributes", "objects/info/alternates", "worktrees/w/gitdir"]


@pytest.mark.parametrize("path", KEPT)
def test_what_steers_git_is_never_written(project: Path, path: str) -> None:
    (project / ".git/worktrees/w").mkdir(parents=True)
    (project / ".git/worktrees/w/gitdir").write_text("kept")
    before = (project / ".git" / path).read_bytes() if (project / ".git" / path).exists() else None
    text = f"git add a.txt; echo evil > .git/{path}"
    sandbox(project).execute(text, cwd=str(project))
    after = (project / ".git" / path).read_bytes() if (project / ".git" / path).exists() else None
    assert after == before


COMMIT = "git -c user.name=a -c user.email=a@b commit -qm two && git log --oneline | wc -l"


def test_a_commit(project: Path) -> None:
    result = sandbox(project).execute(f"echo x > b; git add -A . && {COMMIT}", cwd=str(project))
    assert (result.code, result.stdout) == (0, b"2\n"), result.stderr


def test_a_commit_in_a_linked_worktree(project: Path) -> None:
    tree = project.parent / "tree"
    subprocess.run(["git", "-C", str(project), "worktree", "add", "-q", str(tree)], check=True)
    result = sandbox(project).execute(f"echo x > b; git add b && {COMMIT}", cwd=str(tree))
    assert (result.code, result.stdout) == (0, b"2\n"), result.stderr
    pointer = (tree / ".git").read_text()
    text = "echo x > c; git add c; rm -f .git; echo gitdir: x > .git"
    sandbox(project).execute(text, cwd=str(tree))
    assert (tree / ".git").read_text() == pointer


def test_beside_a_build_it_takes_two_calls(project: Path) -> None:
    confined = '{"write": {"project": "allow"}, "execute": {"project": "allow"}}'
    (project.parent / "a.rules").write_text(f"posture(confined = {confined})\n")
    assert sandbox(project).execute("git add a.txt", cwd=str(project)).code == 0
    with pytest.raises(execpolicy.Denied, match="two calls"):
        sandbox(project).execute("make && git commit -m x", cwd=str(project))


CONFIGURATIONS = [
    ("[core]\n\trepositoryformatversion = 0\n\tbare = false\n", True),
    ('[remote "origin"]\n\turl = /a/b\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n', True),
    ("[core]\n\tfsmonitor = ./x\n", False),
    ("[core]\n\thooksPath = x\n", False),
    ("[include]\n\tpath = x\n", False),
    ('[filter "x"]\n\tclean = ./x\n', False),
    ('[remote "o"]\n\turl = ext::sh -c x\n', False),
    ('[remote "o"]\n\tuploadpack = ./x\n', False),
    ("[core] fsmonitor = ./x\n", False),
    ('[core] fsmonitor = "./x" #]\n', False),
    ("[core] bare = false # ] fsmonitor = x\n", True),
    ("[core]\n\tbare = fal\\\nse\n", True),
    ("[core\n\tbare = false\n", False),
    ("[alias]\n\tst = !x\n", False),
]


@pytest.mark.parametrize(("text", "plain"), CONFIGURATIONS)
def test_a_new_repository_is_plain(tmp_path: Path, text: str, plain: bool) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".git/config").write_text(text)
    assert is_plain(str(tmp_path / ".git")) is plain


NAMED = [
    ('[core]\n\tbare = false\n\thooksPath = "mine"\n', "mine"),
    ("[core]\n\tattributesFile = ../attrs\n", "../attrs"),
    ("[include]\n\tpath = ../x.inc\n", "x.inc"),
    ('[includeIf "gitdir:/w"]\n\tpath = ../x.inc\n', "x.inc"),
    ('[filter "a"]\n\tclean = python3 tools/clean.py %f\n', "tools/clean.py"),
    ('[hook "a"]\n\tcommand = tools/hook.py\n', "tools/hook.py"),
    ('[diff "a"]\n\ttextconv = there.sh --x\n', "there.sh"),
    ("[core]\n\tfsmonitor = ./watch\n", "watch"),
    ("[core]\n\tfsmonitor = true\n", None),
    ("[core]\n\tpager = less -R\n", None),
    ('[merge "a"]\n\tdriver = cd sub/dir && x %A\n', None),
    ("[alias]\n\tb = !make build/out\n", "build/out"),
    ("[core]\n\thooksPath = gh # ours\n", "gh"),
    ("[core]\n\thooksPath = g\\\nh ; ours\n", "gh"),
    ('[core] hooksPath = "g h"\n', "g h"),
    ("[alias]\n\tx = !./f\n", "f"),
    ("[alias]\n\tx = \"!f() { sh -c './f y'; }; f\"\n", "f"),
    ("[alias]\n\tx = -c core.pager=./f log\n", "f"),
    ("[pager]\n\tlog = ./p | less\n", "p"),
    ("[gpg.ssh]\n\tdefaultKeyCommand = ./k\n", "k"),
    ('[gpg "ssh"]\n\tdefaultKeyCommand = ./k\n', "k"),
    ('[submodule "a"]\n\tupdate = !./u\n', "u"),
    ('[filter "x"]\n\tclean = $(git rev-parse --show-toplevel)/tools/new.sh\n', "tools/new.sh"),
    ('[filter "x"]\n\tclean = "`pwd`/tools/new.sh"\n', "tools/new.sh"),
    ('[filter "x"]\n\tclean = \\"$X\\"/sub/f.sh %f\n', "sub/f.sh"),
    ('[filter "x"]\n\tclean = ${X:-./sub/f.sh}\n', "sub/f.sh"),
    ('[filter "x"]\n\tclean = $(dirname $0)/w/sub/f.sh\n', "sub/f.sh"),
    ('[filter "x"]\n\tclean = $X/none.sh\n', None),
    ('[filter "x"]\n\tclean = cd sub && bash f.sh\n', "sub/f.sh"),
    ('[filter "x"]\n\tclean = A=1 B=./f x\n', "f"),
    ('[filter "x"]\n\trequired = true\n', None),
    ("[core]\n\teditor = ${\n", None),
    ("[core]\n\teditor = '$( \\\\\n", None),
]


@pytest.mark.parametrize(("text", "path"), NAMED)
def test_what_the_configuration_of_git_names(tmp_path: Path, text: str, path: str | None) -> None:
    root = tmp_path / "w"
    (root / "sub/dir").mkdir(parents=True)
    (root / "there.sh").touch()
    (root / "sub/f.sh").touch()
    new_repository(root)
    (root / ".git/config").write_text(text)
    git = GitDirectories(f"{root}/.git", f"{root}/.git")
    found = named(git, str(root), str(tmp_path / "home"))
    assert found == (() if path is None else (os.path.normpath(root / path),))


def test_the_configurations_of_the_user_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, home = tmp_path / "w", tmp_path / "home"
    git = GitDirectories(f"{root}/.git", f"{root}/.git")
    for directory in (root / "real", home, tmp_path / "xdg/git"):
        directory.mkdir(parents=True)
    (home / "gh").symlink_to(root / "real")
    (home / ".gitconfig").write_text("[core]\n\thooksPath = ~/gh\n")
    (tmp_path / "xdg/git/config").write_text("[include]\n\tpath = more\n")
    (tmp_path / "xdg/git/more").write_text("[core]\n\teditor = ./ed\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    found = named(git, str(root), str(home))
    assert {f"{home}/gh", f"{root}/real", f"{root}/ed"} <= set(found)


def test_an_included_file_is_read_too(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "w"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[include]\n\tpath = {root}/x.inc\n")
    root.mkdir()
    (root / "x.inc").write_text("[core]\n\thooksPath = mine\n")
    git = GitDirectories(f"{root}/.git", f"{root}/.git")
    assert named(git, str(root), str(home)) == (f"{root}/x.inc", f"{root}/mine")


def git_in(directory: Path, *words: str) -> None:
    own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", "-C", str(directory), *own, *words], check=True, capture_output=True)


def configured(project: Path) -> "dict[str, Path]":
    """A file for each way in which git of the project is told to run one."""
    for name in ("gh", "nested/gh", "tools"):
        (project / name).mkdir(parents=True)
    for name in ("gh/pre-commit", "tools/clean.sh", "f"):
        (project / name).write_text("kept")
    (project / "nested/gh/pre-commit").write_text("kept")
    git_in(project / "nested", "init", "-q")
    git_in(project, "submodule", "add", "-q", str(project.parent / "other"), "sub")
    (project / "sub/run").write_text("kept")
    git_in(project / "sub", "config", "core.fsmonitor", "./run")
    with (project / "nested/.git/config").open("a") as file:
        file.write("[core]\n\thooksPath = gh # ours\n")
    with (project / ".git/config").open("a") as file:
        file.write("[core]\n\thooksPath = gh # ours\n[alias]\n\tx = !./f\n")
        file.write('[filter "x"]\n\tclean = $(git rev-parse --show-cdup)/tools/clean.sh\n')
    names = ("gh/pre-commit", "tools/clean.sh", "f", "nested/gh/pre-commit", "sub/run")
    return {name: project / name for name in names}


def test_what_git_is_told_to_run_is_never_written(project: Path, repository: Path) -> None:
    git_in(project.parent, "clone", "-q", str(repository), "other")
    files = configured(project)
    writes = "; ".join(f"echo evil > {name}" for name in files)
    moves = "mv gh h; mv nested/gh nested/h; echo evil > nested/gh/pre-push; echo x > ordinary"
    sandbox(project).execute(f"{writes}; {moves}", cwd=str(project))
    assert {name: path.read_text() for name, path in files.items()} == dict.fromkeys(files, "kept")
    assert not (project / "nested/gh/pre-push").exists()
    assert (project / "ordinary").exists()


@pytest.mark.parametrize("made", ["missing", "missing/deeper"])
def test_no_link_is_made_on_the_way_to_hooks_that_are_missing(project: Path, made: str) -> None:
    with (project / ".git/config").open("a") as file:
        file.write("[core]\n\thooksPath = missing/deeper/gh\n")
    text = f"mkdir -p e/deeper/gh e/gh $(dirname {made}); ln -s $PWD/e {made}; echo x > e/ordinary"
    sandbox(project).execute(text, cwd=str(project))
    assert not os.path.lexists(project / "missing")
    assert (project / "e/ordinary").exists()


def test_a_repository_that_a_run_makes_protects_nothing_beside_it(project: Path) -> None:
    (project / "src").mkdir()
    (project / "src/a").touch()
    text = f"git init -q new; git -C new config core.hooksPath {project}/src; echo x > src/b"
    sandbox(project).execute(text, cwd=str(project))
    assert sorted(os.listdir(project / "src")) == ["a", "b"]
