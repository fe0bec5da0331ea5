"""An attacker who may use only what the preset `developer` lets pass, and wants to run a program.

Each try is a row: its commands one after the other, and which of them asks. What passes is really
run, in a repository of the disk, by bash and git themselves: it runs nothing of the attacker's, and
writes nothing outside of the project.
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
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value
from execpolicy.support.resources import presets_directory

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


class Try(Value):
    """`asks` is the number of the step that asks; None where all pass and run nothing."""

    what: str
    steps: tuple[str, ...]
    asks: int | None = 0


BARE = (
    "mkdir -p sub/objects sub/refs",
    "printf '[core]\\n\\tworktree = ..\\n\\tfsmonitor = ./evil.sh\\n' > sub/config",
    "echo 'ref: refs/heads/main' > sub/HEAD",
)
MODULE = "echo 'import os; os.system(\"./evil.sh\")' > "

TRIES = [
    # git: hooks
    Try("a hook is copied", ("cp evil.sh .git/hooks/post-checkout",)),
    Try("a hook is moved in", ("cp evil.sh post-checkout", "mv post-checkout .git/hooks/"), 1),
    Try("a directory of hooks", ("mkdir h", "cp evil.sh h/post-commit", "mv h .git/hooks"), 2),
    Try("a hook by another name of .git", ("ln -s .git g",)),
    Try("a hook by a backup of sed", ("sed -i'.git/hooks/*' s/a/a/ post-commit",)),
    Try("a hook by a worktree", ("git worktree add -q .git/hooks/x",)),
    Try("a hook by a patch", ("git apply hook.patch",)),
    Try("core.hooksPath is set", ("git config core.hooksPath .",)),
    Try("core.hooksPath for one command", ("git -c core.hooksPath=. commit -qm x",)),
    Try("a hook of a template", ("git clone -q --template=. . copy",)),
    Try("a hook of husky", ("mkdir .husky",)),
    Try("a directory becomes .husky", ("mkdir h", "git mv h .husky"), 1),
    # package managers: what their queries start
    Try("a wrapper of the compiler", ("mkdir .cargo", "cp evil.sh .cargo/config.toml"), 1),
    Try("a directory becomes .cargo", ("mkdir c", "cp a.txt c/config", "mv c .cargo"), 2),
    Try("a yarn of the project", ("echo 'yarnPath: evil.sh' > .yarnrc.yml",)),
    Try("what pnpm loads", ("cp evil.sh .pnpmfile.cjs",)),
    # git: configuration
    Try("a filter", ("echo '* filter=x' > .gitattributes", "git config filter.x.clean x"), 1),
    Try(
        "attributes without a driver",
        ("echo '* filter=x diff=x' > .gitattributes", "git add -A", "git diff --cached"),
        None,
    ),
    Try("an include", ("printf '[include]\\n\\tpath = ../x\\n' >> .git/config",)),
    Try("a repository laid out in steps", (*BARE, "git -C sub status"), 3),
    Try("a repository laid out in one go", (" && ".join(BARE) + " && git -C sub status",)),
    Try("its last part in the same go", (*BARE[:2], BARE[2] + " && cd sub && git log"), 2),
    Try("it is moved there", (*BARE, "mv sub t && git -C t status"), 3),
    Try("it is copied there", (*BARE, "mkdir t && cp -r sub t/ && cd t/sub && git status"), 3),
    Try("the root is laid out", (*(s.replace("sub/", "./") for s in BARE), "git status"), None),
    Try("a .git that points elsewhere", (*BARE, "mkdir t && echo 'gitdir: ../sub' > t/.git"), 3),
    Try("the configuration of a copy", ("git clone -q . copy", "cp config copy/.git/"), 1),
    Try("a copy as it comes", ("git clone -q . copy", "git -C copy status"), 1),
    Try("a worktree", ("git worktree add -q wt", "git -C wt status"), None),
    Try("a submodule", ("git submodule add ./sub x",)),
    Try("an alias", ("git -c alias.x='!./evil.sh' x",)),
    Try("a pager", ("git -c core.pager=./evil.sh -p log",)),
    Try("a pager of the environment", ("GIT_PAGER=./evil.sh git -p log",)),
    Try("another diff", ("GIT_EXTERNAL_DIFF=./evil.sh git diff",)),
    Try("another editor", ("GIT_EDITOR=./evil.sh git commit --amend",)),
    Try("another home for git", ("HOME=$PWD git status",)),
    Try("another git directory", ("git --git-dir=sub status",)),
    Try("a todo with exec", ("git rebase -x ./evil.sh HEAD",)),
    Try("a todo that waits", ("mkdir .git/rebase-merge",)),
    Try("a bisection", ("git bisect run ./evil.sh",)),
    Try("a transport", ("git clone -q ext::./evil.sh copy",)),
    Try("the other end", ("git clone -q -u ./evil.sh . copy",)),
    Try("the other end of an archive", ("git archive --remote=. --exec=./evil.sh HEAD",)),
    Try("a tool for differences", ("git difftool -y -x ./evil.sh HEAD",)),
    Try("a pager of grep", ("git grep -O./evil.sh x",)),
    # links, and what moves while the request runs
    Try("a link out", ("ln -s ~ h",)),
    Try("a link out that is there", ("echo x > out/autostart/x",)),
    Try("it is moved first", ("mv out o && echo x > o/autostart/x",)),
    Try("it is moved before", ("mv out o", "echo x > o/autostart/x"), 1),
    Try("a directory with it is moved", ("mkdir d", "mv out d", "mv d e && echo > e/out/x"), 2),
    Try("it is copied first", ("cp -a out o && echo x > o/autostart/x",)),
    Try("a branch that has one", ("git switch -q evil && echo x > d/autostart/x",)),
    Try("the branch before", ("git switch -q evil", "echo x > d/autostart/x"), 1),
    Try("a hard link", ("ln ~/.profile p",)),
    Try("a hard link by link", ("link ~/.config/app p",)),
    Try("a hard link by rsync", ("rsync -a --link-dest=$HOME/.config ./ dst/",)),
    Try("a hard link by cpio", ("echo out/app | cpio -pdl dst",)),
    # names that a program makes
    Try("unpacked to .envrc", ("gzip -c evil.sh > .envrc.gz", "gunzip .envrc.gz"), 1),
    Try("a name in the packed file", ("gunzip -N x.gz",)),
    Try("a backup that is .envrc", ("cp evil.sh .envr", "sed -ic s/a/a/ .envr"), 1),
    Try("a backup of cp", ("cp evil.sh .envr", "cp -b -S c a.txt .envr"), 1),
    Try("an archive", ("tar xf evil.tar",)),
    Try("an archive into a directory", ("unzip -o evil.zip -d x",)),
    Try("a directory becomes .vscode", ("mkdir v", "cp a.txt v/tasks.json", "mv v .vscode"), 2),
    Try("a directory comes with .envrc", ("mkdir v", "git mv a.txt v/.envrc"), 1),
    Try("an upper case name", ("cp evil.sh .ENVRC",)),
    Try("a start file", ("cat evil.sh >> ~/.bashrc",)),
    # what PATH finds, what is imported, what is configuration
    Try("a program in front", ("mkdir bin", "cp evil.sh bin/ls", "PATH=bin:$PATH ls"), 2),
    Try("a program in PATH", ("cp evil.sh onpath/frobnicate",)),
    Try("a directory of PATH", ("mkdir d", "mv d onpath"), 1),
    Try("a module of the library", (MODULE + "json.py", "python3 -m json.tool a.json"), 1),
    Try("a module of the start", (MODULE + "sitecustomize.py", "python3 -m this"), None),
    Try("a place for modules", (MODULE + "x.pth", "PYTHONPATH=. python3 --version"), 1),
    Try("an environment", ("mkdir -p .venv/bin", "cp evil.sh .venv/bin/x", ".venv/bin/x"), 2),
    Try("tests", (MODULE + "conftest.py", "python3 -m pytest"), 1),
    Try("a Makefile", ("printf 'all:\\n\\t./evil.sh\\n' > Makefile", "make"), 1),
    Try("a Makefile that is looked at", ("echo '$(shell ./evil.sh)' > Makefile", "make -n"), 1),
    Try(
        "a script of npm", ('echo \'{"scripts":{"test":"./evil.sh"}}\' > package.json', "npm t"), 1
    ),
    Try("a formatter", ("echo 'plugins: [./evil.js]' > .prettierrc", "prettier --write ."), 1),
    Try("a linter", ("echo './evil.sh' > eslint.config.js", "eslint --fix ."), 1),
    Try("a toolchain", ("echo '[toolchain]' > rust-toolchain.toml", "cargo fmt"), 1),
    # the shell, and programs that run others
    Try("by its path", ("./evil.sh",)),
    Try("as an argument", ("sh evil.sh",)),
    Try("sourced", (". ./evil.sh",)),
    Try("in a substitution", ("cat <(./evil.sh)",)),
    Try("a function of a known name", ("ls() { ./evil.sh; }; ls",)),
    Try("a remembered place", ("hash -p ./evil.sh ls; ls",)),
    Try("a trap", ("trap ./evil.sh EXIT",)),
    Try("a file of the start", ("BASH_ENV=./evil.sh bash -c ls",)),
    Try("a library", ("LD_PRELOAD=./evil.so ls",)),
    Try("sed", ("sed '1e ./evil.sh' a.txt",)),
    Try("awk", ("awk 'BEGIN { system(\"./evil.sh\") }'",)),
    Try("find", ("find . -name evil.sh -exec {} ';'",)),
    Try("xargs", ("echo evil.sh | xargs sh",)),
    Try("tar", ("tar cf x.tar --checkpoint=1 --checkpoint-action=exec=./evil.sh a.txt",)),
    Try("sort", ("sort --compress-program=./evil.sh a.txt",)),
    Try("ripgrep", ("rg --pre ./evil.sh x",)),
    Try("env", ("env -S ./evil.sh",)),
    Try("an editor", ("vim -c '!./evil.sh' -c q",)),
    Try("a filter of a pager", ("LESSOPEN='|./evil.sh' less a.txt",)),
]


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    return Engine.load(rules=[f"{presets_directory()}/developer.rules"]).snapshot


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in a home, with the attacker's program, a link out and a branch with one."""
    home = tmp_path / "home"
    root = home / "app"
    (home / ".config/autostart").mkdir(parents=True)
    for name in (".profile", ".bashrc", ".config/app"):
        (home / name).write_text("mine\n")
    root.mkdir()
    (root / "evil.sh").write_text(f"#!/bin/sh\ntouch {tmp_path}/RAN\n")
    (root / "evil.sh").chmod(0o755)
    for name, text in (("a.txt", "a\n"), ("a.json", "{}\n"), ("config", "[core]\n")):
        (root / name).write_text(text)
    (root / "onpath").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{root}/onpath:{os.environ['PATH']}")
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
        monkeypatch.setenv(name, "me")
    for name in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "me@example.com")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    run(root, "git init -q -b main && rm -f .git/hooks/* && git add -A && git commit -qm one")
    run(root, "git switch -qc evil && ln -s ~/.config d && git add d && git commit -qm two")
    run(root, "git switch -q main && ln -s ~/.config out")
    return root


def run(root: Path, text: str) -> None:
    words = ["timeout", "20", "bash", "-c", text]
    subprocess.run(words, cwd=root, capture_output=True, stdin=subprocess.DEVNULL)


def outside(root: Path) -> dict[str, str]:
    """The files of the home outside of the project."""
    every = (path for path in root.parent.rglob("*") if not path.is_relative_to(root))
    return {str(path): path.read_text() for path in every if path.is_file()}


@pytest.mark.parametrize("attack", TRIES, ids=[each.what for each in TRIES])
def test_no_program_of_the_attacker_runs(developer: Snapshot, project: Path, attack: Try) -> None:
    snapshot = developer.replace(home=str(project.parent))
    before = outside(project)
    asked = None
    for number, text in enumerate(attack.steps):
        request = Request(text=text, cwd=str(project), shell="bash")  # noqa: S604
        if decide(request, snapshot, Disk()).decision is not Decision.ALLOW:
            asked = number
            break
        run(project, text)
    assert not (project.parent.parent / "RAN").exists()
    assert outside(project) == before
    assert asked == attack.asks
