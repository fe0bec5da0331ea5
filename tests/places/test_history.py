"""What git's objects hold of a credentials file asks, where the file itself is long gone."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from execpolicy import Decision, Engine, Request
from execpolicy.engine.decide import decide
from execpolicy.model.place import Below
from execpolicy.places.disk import Disk
from execpolicy.places.repository import history
from execpolicy.policy.name_search import NameSearch, PathNames
from execpolicy.support.disk.repository import find
from execpolicy.support.resources import presets_directory

ASK, ALLOW = Decision.PROMPT, Decision.ALLOW
KEYS = ((".env", "", "", "", False),)


def git(top: Path, *words: str) -> str:
    """Run git without the settings of this user."""
    named = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    quiet = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    done = subprocess.run(
        ["git", *named, *words],
        cwd=top,
        check=True,
        env={**os.environ, **quiet},
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def begun(made: pytest.TempPathFactory, name: str) -> Path:
    """A repository without a commit."""
    top = made.mktemp(name)
    git(top, "init", "-q", "-b", "main")
    (top / "src").mkdir()
    return top


def committed(top: Path, text: str = "1") -> None:
    """One more commit of all that is there."""
    (top / "a.py").write_text(f"{text}\n")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", text)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.fixture(scope="module")
def leaked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that had a `.env` in its first commit."""
    top = begun(tmp_path_factory, "leaked")
    (top / ".env").write_text("A=1\n")
    (top / "src/b.py").write_text("1\n")
    committed(top)
    (top / ".env").unlink()
    committed(top, "2")
    return top


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = begun(tmp_path_factory, "clean")
    (top / "src/b.py").write_text("1\n")
    committed(top)
    committed(top, "2")
    return top


SHOWS = [
    *(
        "git show",
        "git show HEAD",
        "git show main",
        "git log -p",
        "git log -p --all",
        "git whatchanged -p",
    ),
    *("git diff HEAD~1", "git diff main~1 main", "git diff --cached", "git diff HEAD~1 HEAD"),
    *(
        "git format-patch --stdout HEAD~1",
        "git stash show -p",
        "git stash list -p",
        "git reflog -p",
    ),
    *("git grep '' HEAD~1", "git grep -e A main~1", "git archive main~1", "git fast-export --all"),
    *(
        "git diff-tree -p HEAD",
        "git range-diff HEAD~1 HEAD main",
        "git merge-file --object-id -p a b c",
    ),
    "git merge-tree HEAD~1 HEAD main",
    # a pathspec that only takes paths out, or begins at the top, limits nothing
    *("git diff HEAD~1 -- ':!src'", "git show HEAD~1 -- ':^src' ':(exclude)a'", "git log -p -- :/"),
    *(
        "git diff HEAD~1 ':(exclude,glob)a:b'",
        "git log -p -- ':(top)'",
        "cd src && git show",
        "git -C src show",
    ),
    # a value that looks like the end of options
    "git log -p -S -- main",
    # globs of git, also without regard to case
    *("git log -p -- '*env'", "git show HEAD~1 -- '.en[v]'", "git log -p -- ':(icase).ENV'"),
    *("git log -p -- .env", "git show HEAD~1:.env", "git log -p -- ':(glob)**/.e*'"),
    # what the file was called before
    *("git log --follow -p -- a.py", "git log -L1,2:a.py"),
    # the changes that a commit would have
    *("git status -v", "git status -vv", "git commit --dry-run -v", "git commit --short -v"),
    # whether lines fit a pattern of the caller's
    *("git log -S A=1", "git log --oneline -G '^A'", "git diff --quiet -I '^A' HEAD~1"),
    *("git diff --name-only -S A HEAD~1", "git grep -q A HEAD~1", "git grep -l A HEAD~1"),
    # all that a commit changes beside the path
    *("git log --full-diff -p src", "git whatchanged --full-diff -p -- src"),
    *("git reflog -p --full-diff -- src", "git merge-tree --trivial-merge main main~1 main"),
    *("git diff-tree -rz HEAD~1 HEAD | git diff-pairs -z", "git bisect view -p"),
    *("git rebase --show-current-patch", "git am --show-current-patch"),
]
CHANGES = [
    "git request-pull -p HEAD~1 . main",
    # the changes to choose from
    *("git reset -p HEAD~1", "git restore -p -s HEAD~1 .", "git checkout -p HEAD~1", "git add -p"),
    *("git commit -p -m x", "git commit --interactive -m x", "git stash push -p", "git stash -p"),
    # what an object holds, by another name
    *("git unpack-file HEAD~1:src/b.py", "git checkout-index --temp -a", "git mktree"),
    *("git update-index --cacheinfo 100644,0123,a.py", "git notes add -C HEAD~1:src/b.py"),
]
LIMITED = [
    *("git status", "git log", "git log --stat", "git diff", "git diff -- a.py", "git diff a.py"),
    *("git diff --stat HEAD~1", "git diff --name-only HEAD~1", "git show HEAD~1:a.py"),
    *(
        "git log -p -- src",
        "git diff HEAD~1 -- src a.py",
        "git diff HEAD~1 src",
        "git show HEAD -- a.py",
    ),
    *("git grep A", "git grep A src", "git grep A HEAD -- src", "git blame a.py", "git stash show"),
    *("git cat-file -p HEAD", "git archive HEAD src", "git log --follow --oneline -- a.py"),
    *("git log -p -- 'src/*.py'", "git show --stat HEAD", "git log --grep A", "cd src && git diff"),
]


@pytest.mark.parametrize("text", SHOWS)
def test_a_key_of_an_older_commit_asks(engine: Engine, leaked: Path, text: str) -> None:
    verdict = engine.check(text, cwd=str(leaked))
    assert (verdict.decision, verdict.confined) == (ASK, ASK)


@pytest.mark.parametrize("text", CHANGES)
def test_what_is_shown_by_what_writes_asks_in_the_sandbox(
    leaked: Path, clean: Path, text: str
) -> None:
    engine = Engine.load(rules=[f"{presets_directory()}/developer.rules"])
    assert engine.check(text, cwd=str(leaked)).confined is ASK
    matches = [m for j in engine.check(text, cwd=str(clean)).judged for m in j.matches]
    assert not any("credentials" in match.places for match in matches)


@pytest.mark.parametrize("text", LIMITED)
def test_what_is_told_other_paths_does_not(engine: Engine, leaked: Path, text: str) -> None:
    assert engine.check(text, cwd=str(leaked)).decision is ALLOW


NAMED = ("**/.e*", "'.en[v]'", " .env", ":.env", ".ENV", "merge-file", "commit --short")
"""What asks because of its words, or changes something."""


@pytest.mark.parametrize("text", [t for t in SHOWS if not any(n in t for n in NAMED)])
def test_nothing_asks_where_no_commit_has_a_key(engine: Engine, clean: Path, text: str) -> None:
    assert engine.check(text, cwd=str(clean)).decision is ALLOW


def test_a_pathspec_of_the_work_tree_matches_hidden_names(engine: Engine, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".env").write_text("A=1\n")
    (tmp_path / "src").mkdir()
    for text in ("git grep --untracked A -- '*env'", "git grep --no-index A -- '*'"):
        assert engine.check(text, cwd=str(tmp_path)).decision is ASK
    assert engine.check("git grep --untracked A -- src", cwd=str(tmp_path)).decision is ALLOW


# --- what is listed -------------------------------------------------------------------------------


class Shelf:
    """Keeps in memory what is listed."""

    def __init__(self) -> None:
        self.kept: dict[str, object] = {}

    def recall(self, place: str) -> object:
        return self.kept.get(place)

    def keep(self, place: str, value: object) -> None:
        self.kept[place] = value


def listed(top: Path, shelf: Shelf | None = None, program: str = "git") -> tuple[str, ...] | None:
    own = find(str(top), Disk())
    assert own is not None
    return history.committed(own, KEYS, shutil.which(program) or program, shelf)


def test_a_list_is_kept_while_the_refs_are_the_same(clean: Path, tmp_path: Path) -> None:
    top = tmp_path / "copy"
    shutil.copytree(clean, top)
    shelf = Shelf()
    assert listed(top, shelf) == ()
    assert listed(top, shelf, "/no/such/git") == ()
    (top / ".env").write_text("A=2\n")
    git(top, "stash", "-q", "-a")  # what git ignores and nobody added is kept by a stash
    assert listed(top, shelf, "/no/such/git") is None
    assert listed(top, shelf) == (".env",)
    assert listed(top, shelf, "/no/such/git") == (".env",)


def test_only_what_is_new_is_listed_again(leaked: Path, tmp_path: Path) -> None:
    top = tmp_path / "copy"
    shutil.copytree(leaked, top)
    shelf = Shelf()
    assert listed(top, shelf) == (".env",)
    (top / "deep").mkdir()
    (top / "deep/.env").write_text("B=1\n")
    committed(top, "3")
    assert listed(top, shelf) == (".env", "deep/.env")


def test_commits_that_are_gone_do_not_count(clean: Path, tmp_path: Path) -> None:
    top = tmp_path / "copy"
    shutil.copytree(clean, top)
    shelf = Shelf()
    (top / ".env").write_text("A=1\n")
    committed(top, "3")
    assert listed(top, shelf) == (".env",)
    git(top, "reset", "-q", "--hard", "HEAD~1")
    assert listed(top, shelf) == (".env",)  # the reflog has it
    git(top, "reflog", "expire", "--expire=now", "--all")
    (top / ".git/ORIG_HEAD").unlink()
    git(top, "gc", "-q", "--prune=now")
    assert listed(top, shelf) == ()


@pytest.mark.parametrize("where", ["FETCH_HEAD", "worktree", "tag", "packed"])
def test_whatever_leads_to_a_commit_counts(clean: Path, tmp_path: Path, where: str) -> None:
    top = tmp_path / "copy"
    shutil.copytree(clean, top)
    git(top, "switch", "-q", "--detach")
    (top / ".env").write_text("A=1\n")
    committed(top, "3")
    found = git(top, "rev-parse", "HEAD")
    if where == "worktree":
        git(top, "worktree", "add", "-q", "--detach", str(tmp_path / "other"))
    elif where == "FETCH_HEAD":
        (top / ".git/FETCH_HEAD").write_text(f"{found}\t\tbranch 'x' of y\n")
    else:
        git(top, "tag", "-a", "-m", "x", "v1", found)
    git(top, "switch", "-q", "main")
    shutil.rmtree(top / ".git/logs")
    if where == "packed":
        git(top, "pack-refs", "--all")
    for name in ("ORIG_HEAD",):
        (top / ".git" / name).unlink(missing_ok=True)
    assert listed(top) == (".env",)


def test_a_file_that_a_ref_names_has_no_path(clean: Path, tmp_path: Path) -> None:
    top = tmp_path / "copy"
    shutil.copytree(clean, top)
    git(top, "tag", "key", git(top, "rev-parse", "HEAD:a.py"))
    assert listed(top) is None


def test_where_git_is_missing_or_fails_nothing_is_known(clean: Path, tmp_path: Path) -> None:
    assert listed(clean, program="/no/such/git") is None
    top = tmp_path / "copy"
    shutil.copytree(clean, top)
    for path in (top / ".git/objects").glob("??/*"):
        path.chmod(0o600)
        path.unlink()
    (top / ".git/config").write_text("[broken\n")
    assert listed(top) is None


def test_a_partial_clone_gets_nothing_from_elsewhere(leaked: Path, tmp_path: Path) -> None:
    top, mark = tmp_path / "partial", tmp_path / "fetched"
    git(leaked, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=tree:0", f"file://{leaked}", str(top))
    git(top, "config", "remote.origin.url", f"ext::sh -c 'touch {mark}'")
    git(top, "config", "protocol.ext.allow", "always")
    assert listed(top) is None
    assert not mark.exists()


def test_no_program_of_a_repository_runs(leaked: Path, tmp_path: Path) -> None:
    top, mark = tmp_path / "copy", tmp_path / "ran"
    shutil.copytree(leaked, top)
    program = f"touch {mark}; cat"
    for name in (
        *("core.fsmonitor", "core.pager", "pager.rev-list", "diff.external", "gpg.program"),
        *("filter.x.clean", "filter.x.process", "diff.x.textconv", "core.alternateRefsCommand"),
        *("alias.rev-list", "core.sshCommand", "core.editor", "trace2.eventTarget"),
    ):
        git(top, "config", name, f"!{program}" if name.startswith("alias") else program)
    git(top, "config", "log.showSignature", "true")
    (top / ".gitattributes").write_text("* filter=x diff=x\n")
    hook = top / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o700)
    assert listed(top) == (".env",)
    assert not mark.exists()


def test_too_many_refs_are_not_read(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_FILES", 1)
    assert listed(clean) is None


def test_names_are_those_at_the_end_or_of_directories() -> None:
    paths = PathNames(
        ["a/.env", ".env/a", "x/.aws/credentials", ".ssh/x", "k.pem", "K.PEM", "pem", "a/.env.bak"]
    )
    found = NameSearch((*KEYS, ("", "", ".pem", "", False), (".ssh", "", "", "", True))).among(
        paths
    )
    assert found == ["a/.env", ".ssh/x", "k.pem", "K.PEM", "a/.env.bak"]


@pytest.fixture(scope="module")
def holding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a `.env` in its work tree, which it ignores."""
    top = begun(tmp_path_factory, "holding")
    (top / ".gitignore").write_text("# keys\n/.env*\n")
    committed(top)
    (top / ".env").write_text("A=1\n")
    return top


@pytest.mark.parametrize(
    "text",
    [
        *("git add -f .env && git diff --cached", "git add -f . && git commit -m x && git show"),
        *("git stash -a; git stash show -p -u", "git update-index --add .env; git diff --cached"),
        *("git add --force .e* && git grep A", "git add -f .env && git archive HEAD"),
        *(
            "echo > .gitignore; git add -A; git diff --cached",
            "git rm .gitignore; git add .; git show",
        ),
        "for i in 1 2; do git diff --cached; git add -f .env; done",
        "git add -f .env && git show :.env",
    ],
)
def test_what_the_same_text_puts_into_git_asks(engine: Engine, holding: Path, text: str) -> None:
    shown = [m.reason for j in engine.check(text, cwd=str(holding)).judged for m in j.matches]
    assert any(".env`, which may hold a key" in reason for reason in shown)


@pytest.mark.parametrize(
    "text",
    [
        *("git add . && git diff --cached", "git add -A; git commit -qm x; git show"),
        *("git add -f src && git diff --cached", "git diff --cached; git add -f .env"),
        *("git add -f .env && git status", "git stash; git stash show -p"),
    ],
)
def test_what_git_ignores_is_not_put_there(engine: Engine, holding: Path, text: str) -> None:
    shown = [m.reason for j in engine.check(text, cwd=str(holding)).judged for m in j.matches]
    assert not any(".env" in reason for reason in shown)


class TooLarge(Disk):
    """The machine with a work tree of more files than are looked at."""

    def below(self, directory: str, visible: bool, few: bool = False, *_: object) -> Below | None:
        is_top = os.path.exists(f"{directory}/.git")
        return None if is_top else super().below(directory, visible, few)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("git add -A && git diff --cached", True),
        ("git add . && git diff --cached", True),
        ("git stash && git stash show -p", True),
        ("git add src && git diff --cached", False),
        ("git add src/new.py src && git diff --cached", False),
        ("git add -A && git status", False),
    ],
)
def test_of_too_many_files_any_may_be_put_into_git(
    engine: Engine, holding: Path, text: str, asks: bool
) -> None:
    (holding / "src").mkdir(exist_ok=True)
    request = Request(text=text, cwd=str(holding), shell="bash")  # noqa: S604
    verdict = decide(request, engine.snapshot, TooLarge())
    shown = [m.reason for j in verdict.judged for m in j.matches]
    assert any("may hold a key" in reason for reason in shown) is asks, shown


def test_a_work_tree_is_found_through_a_link(engine: Engine, holding: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(holding)
    verdict = engine.check("git add -f .env && git diff --cached", cwd=str(tmp_path / "link"))
    shown = [m.reason for j in verdict.judged for m in j.matches]
    assert any(".env`, which may hold a key" in reason for reason in shown)


SHOWING = [
    *("cat .git/config", "git config -l", "git remote -v", "git config --get-regexp url"),
    *("grep -r url .git", "cp .git/config x", "git config -f .git/config -l", "head .git/c*"),
]


@pytest.mark.parametrize("text", SHOWING)
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("remote.origin.url", "https://me:0123456789@forge.example/o/r.git"),
        ("remote.origin.url", "https://ghp_0123456789abcdefghij@forge.example/o/r.git"),
        ("http.https://forge.example/.extraHeader", "Authorization: Basic 0123456789"),
    ],
)
def test_a_key_in_the_configuration_is_one_to_be_read(
    engine: Engine, tmp_path: Path, key: str, value: str, text: str
) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "remote.origin.url", "https://me@forge.example/o/r.git")
    without = engine.check(text, cwd=str(tmp_path))
    git(tmp_path, "config", key, value)
    shown = engine.check(text, cwd=str(tmp_path))
    assert any("key" in m.reason or "secret" in m.reason for j in shown.judged for m in j.matches)
    assert not any("secret" in m.reason for j in without.judged for m in j.matches)
    assert not any("a key" in m.reason for j in without.judged for m in j.matches)


@pytest.mark.parametrize(
    ("text", "shows"),
    [
        *[("git config user.name", False), ("git config --get-all User.Email", False)],
        *[("git config get core.bare", False), ("git var GIT_EDITOR", False)],
        *[("git config --get-regexp 'user.*|url'", True), ("git config get remote.o.url", True)],
        *[('git config --get user.name "$x"', True), ("git var -l", True)],
    ],
)
def test_settings_asked_for_by_names_that_are_no_keys_show_none(
    engine: Engine, tmp_path: Path, text: str, shows: bool
) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "remote.o.url", "https://me:0123456789@forge.example/o/r.git")
    decision = engine.check(text, cwd=str(tmp_path)).decision
    assert decision is (Decision.PROMPT if shows else Decision.ALLOW)
