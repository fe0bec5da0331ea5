"""Git asks where it would run a program of the repository: git itself is asked which hooks it runs.

What only reads (`git status`) refreshes the index as well and runs `post-index-change` then; that
counts as reading, as all that the user's own configuration does.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.places.disk import Disk
from execpolicy.places.repository.git_config import GitConfig, read
from execpolicy.places.repository.git_syntax import INCLUDES
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory, words_of

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
ALLOW, PROMPT = Decision.ALLOW, Decision.PROMPT
HOOKS = [
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit",
    "prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge",
    "pre-push", "pre-auto-gc", "post-rewrite", "reference-transaction", "post-index-change",
]  # fmt: skip
SETUP = """
    git init -q -b main && rm -rf .git/hooks && mkdir .git/hooks d
    for f in a b d/x; do echo $f > $f; done; git add -A; git commit -qm one; git tag v1
    git switch -qc x; echo 3 >> b; git commit -qam two; git switch -q main; git branch y
    echo 4 >> d/x; git stash -q; echo 5 > new
"""
COMMANDS = [
    "git add new", "git rm b", "git rm --cached b", "git mv a z", "git restore --staged a",
    "git commit --allow-empty -m z", "git commit --amend --no-edit", "git stash", "git stash pop",
    "git stash apply", "git stash branch s", "git checkout -b n", "git checkout -b n x",
    "git switch x", "git switch -c n", "git switch --detach x", "git reset HEAD", "git reset -- a",
    "git reset --soft v1", "git merge --no-edit x", "git merge --ff-only x", "git cherry-pick x",
    "git revert --no-edit HEAD", "git rebase x", "git branch n", "git branch -m y w",
    "git branch -d y", "git tag v2", "git tag -a v3 -m x", "git notes add -m x HEAD",
    "git worktree add w", "git worktree add -b n w x", "git bisect start x v1",
    "git sparse-checkout disable", "git clone -q . copy",
]  # fmt: skip


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    return Engine.load(rules=[f"{presets_directory()}/developer.rules"]).snapshot


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("template") / "app"
    root.mkdir()
    run(root, SETUP)
    return root


@pytest.fixture
def project(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "home/app"
    shutil.copytree(template, root, symlinks=True)
    monkeypatch.setenv("HOME", str(root.parent))
    return root


def run(root: Path, text: str) -> None:
    names = ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")
    env = {**dict.fromkeys(names, "me"), "PATH": os.environ["PATH"], "HOME": str(root.parent)}
    words = ["timeout", "20", "bash", "-c", text]
    subprocess.run(words, cwd=root, env=env, capture_output=True, stdin=subprocess.DEVNULL)


def plant(directory: Path, names: list[str], log: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name in names:
        (directory / name).write_text(f"#!/bin/sh\necho {name} >> {log}\n")
        (directory / name).chmod(0o755)


def decided(snapshot: Snapshot, root: Path, text: str) -> Decision:
    request = Request(text=text, cwd=str(root), shell="bash")  # noqa: S604
    return decide(request, snapshot.replace(home=str(root.parent)), Disk()).decision


@needs_git
@pytest.mark.parametrize("text", COMMANDS)
def test_a_command_asks_for_the_hooks_that_git_runs_for_it(
    developer: Snapshot, project: Path, text: str
) -> None:
    hooks, log = project / ".git/hooks", project.parent / "log"
    assert decided(developer, project, text) is ALLOW
    copied = text.startswith("git clone")
    before = {name: _with(name, hooks, developer, project, text) for name in HOOKS}
    plant(hooks, HOOKS, log)
    run(project, text)
    ran = {*log.read_text().split()} if log.exists() else set()
    assert ran or copied
    assert {name for name in ran if before[name] is ALLOW} == set()
    assert (before["pre-push"] is ALLOW) or text.split()[1] in ANY
    if not copied:
        assert decided(developer, project, text) is PROMPT


ANY = frozenset(("merge", "cherry-pick", "revert", "rebase"))
"""Commands that ask whatever hook is there: they are made of many others."""


def _with(name: str, hooks: Path, snapshot: Snapshot, root: Path, text: str) -> Decision:
    (hooks / name).write_text("#!/bin/sh\n")
    found = decided(snapshot, root, text)
    (hooks / name).unlink()
    return found


WHERE = [
    # the configuration, the directory where hooks are planted, the command, the decision
    ("", ".git/hooks", "git switch x", PROMPT),
    ("[core]\n\thooksPath = .husky/_\n", ".husky/_", "git switch x", PROMPT),
    ("[core]\n\thooksPath = .husky/_\n", ".husky/_", "git branch n", PROMPT),
    ("[core]\n\thooksPath = .husky/_\n", "other", "git switch x", ALLOW),
    ("[core]\n\thooksPath = ~/hooks\n", "../hooks", "git switch x", PROMPT),
    ("[core]\n\thooksPath = ~/none\n", "../hooks", "git switch x", ALLOW),
    ("[core]\n\thooksPath = ~other/hooks\n", "none", "git switch x", PROMPT),
    ("[core]\n\thooksPath = a b\n", "none", "git switch x", ALLOW),
    ("[core]\n\thooksPath = a b # c\n", "a b", "git switch x", PROMPT),
    ("[core] hooksPath = none\n", "none", "git switch x", PROMPT),
    ("[core] hooksPath = no\\\nne\n", "none", "git switch x", PROMPT),
    ("[core]\n\thooksPath = none\n[broken\n", "other", "git switch x", PROMPT),
]


@needs_git
@pytest.mark.parametrize(("config", "directory", "text", "expected"), WHERE)
def test_where_the_configuration_says_that_hooks_are(
    developer: Snapshot, project: Path, config: str, directory: str, text: str, expected: Decision
) -> None:
    plant(project / directory, HOOKS, project / "log")
    with (project / ".git/config").open("a") as file:
        file.write(config)
    assert decided(developer, project, text) is expected


@needs_git
def test_what_the_configuration_of_the_user_includes_counts(
    developer: Snapshot, project: Path
) -> None:
    plant(project / "hooks", HOOKS, project / "log")
    (project.parent / ".gitconfig").write_text("[include]\n\tpath = more\n")
    assert decided(developer, project, "git switch x") is ALLOW
    (project.parent / "more").write_text("[core]\n\thooksPath = hooks\n")
    assert decided(developer, project, "git switch x") is PROMPT


@needs_git
@pytest.mark.parametrize(
    "config", ["[core]\n\thooksPath = {}\n", "[init]\n\ttemplateDir = {}/..\n"]
)
def test_a_copy_begins_with_the_hooks_of_the_user(
    developer: Snapshot, project: Path, config: str
) -> None:
    hooks, log = project.parent / "t/hooks", project.parent / "log"
    plant(hooks, HOOKS, log)
    (project.parent / ".gitconfig").write_text(config.format(hooks))
    assert decided(developer, project, "git clone -q . copy") is PROMPT
    run(project, "git clone -q . copy")
    assert "post-checkout" in log.read_text()


def test_a_copy_may_hold_the_directory_of_hooks_that_is_relative(
    developer: Snapshot, project: Path
) -> None:
    assert decided(developer, project, "git clone -q . copy") is ALLOW
    (project.parent / ".gitconfig").write_text("[core]\n\thooksPath = hooks\n")
    assert decided(developer, project, "git clone -q . copy") is PROMPT


CONFIGURED = [
    ("", GitConfig(False, "")),
    ('[remote "filter"]\n\turl = git@x:me/process-editor.git\n', GitConfig(False, "")),
    ('[branch "clean/command"]\n\tmerge = refs/heads/driver\n', GitConfig(False, "")),
    ("# [filter]\n; editor\n", GitConfig(False, "")),
    ("[core]\n\tfsmonitor = true\n", GitConfig(False, "")),
    ("[core]\n\tfsmonitor = ./x\n", GitConfig(True, "")),
    ("[core]\n\tfsmonitor\n", GitConfig(False, "")),
    ("[core] fsmonitor = ./x\n", GitConfig(True, "")),
    ('[core "=]"] fsmonitor = ./x\n', GitConfig(True, "")),
    ('[filter "lfs"]\n\tclean = x\n', GitConfig(True, "")),
    ("[filter.x]\n\trequired = true\n", GitConfig(False, "")),
    ("[filter.x]\n\tclean = ./x\n", GitConfig(True, "")),
    ('[filter "x"]\n\tcle\\\nan = ./x\n', GitConfig(True, None, True)),
    ('[includeIf "gitdir:x"]\n\tpath = y\n', GitConfig(True, "")),
    ('[merge "x"]\n\tdriver = ./x\n', GitConfig(True, "")),
    ('[trailer "x"]\n\tcmd = ./x\n', GitConfig(True, "")),
    ('[hook "x"]\n\tevent = pre-commit\n', GitConfig(True, "")),
    ("[core]\n\teditor = ./x\n", GitConfig(True, "")),
    ("[gpg]\n\tprogram = ./x\n", GitConfig(True, "")),
    ("[core]\n\thooksPath = h\n", GitConfig(False, "h")),
    ("[core]\n\thooksPath = h\n\thooksPath = i\n", GitConfig(False, "i")),
    ("[core]\n\thooksPath = h ; but not this\n", GitConfig(False, "h")),
    ('[core]\n\thooksPath = "h"\n', GitConfig(False, "h")),
    ("[core]\n\thooksPath\n", GitConfig(False, None)),
    ("[init]\n\ttemplateDir = t\n", GitConfig(False, "", True)),
]


@pytest.mark.parametrize(("text", "expected"), CONFIGURED)
def test_what_a_configuration_says(text: str, expected: GitConfig) -> None:
    assert read(text) == expected


def test_every_setting_that_runs_a_program_at_a_change_counts() -> None:
    settings = words_of("git")
    for setting in settings["changing"] | INCLUDES:
        section, _, key = setting.rpartition(".")
        for text in (f"[{section}]\n\t{key} = ./x\n", f'[{section} "y"]\n\t{key} = ./x\n'):
            assert read(text).programs, setting
