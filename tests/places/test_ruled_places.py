"""A rule about a path is met by all that may touch the path, not by its own text alone."""

from pathlib import Path

import pytest

from execpolicy import Decision, Engine
from execpolicy.engine.decide import decide
from execpolicy.model.operation import Request
from execpolicy.places.blind import Blind
from tests.places.test_history import committed, git

ALLOW, ASK, FORBIDDEN = Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN
READ = 'path_rule(["./docs/private/*"], modes = ["read"], decision = "forbidden")\n'
CHANGE = 'path_rule(["./docs/private/*"], modes = ["write", "remove"], decision = "forbidden")\n'
PRESET = 'posture(write = "allow", destroy = "allow")\n'


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("ruled") / "p"
    for name in ("docs/private/n.txt", "docs/a.txt", "docs/pub/n.md", "src/b.py", ".git/HEAD"):
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("s\n")
    (top / "src/link").symlink_to("../docs/private")
    (top / "src/one.txt").symlink_to("../docs/private/n.txt")
    return top


def engine(folder: Path, text: str) -> Engine:
    file = folder / "own.rules"
    file.write_text(text)
    return Engine.load(rules=[file])


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine(tmp_path_factory.mktemp("rules"), READ)


@pytest.fixture(scope="module")
def changing(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine(tmp_path_factory.mktemp("rules"), CHANGE + PRESET)


READS = [
    # what is written out, or what a glob matches, is what the rule is about
    ("cat docs/private/n.txt", FORBIDDEN),
    ("cat docs/*/n.txt", FORBIDDEN),
    ("cat docs/pri?ate/n.txt", FORBIDDEN),
    ("cat docs/[p]rivate/n.txt", FORBIDDEN),
    ("cat docs/{private,pub}/*", FORBIDDEN),
    ("cd docs; cat */n.txt", FORBIDDEN),
    ("cat < docs/*/n.txt", FORBIDDEN),
    ("cat src/link/n.txt", FORBIDDEN),
    ("cat src/one.txt", FORBIDDEN),
    ("ls docs/*", FORBIDDEN),
    ("ln -s docs/private x; cat x/n.txt", FORBIDDEN),
    # a directory of the command's own is entered once, and by `.` itself
    ("git -C docs diff --no-index a.txt private/n.txt", FORBIDDEN),
    ("make -C docs -f private/n.txt", FORBIDDEN),
    ("git -C docs grep --no-index s", ASK),
    # another name of the same file is as good as a copy
    ("ln docs/private/n.txt x", FORBIDDEN),
    ("cp -al docs x", ASK),
    # of a tree, or of a path that is computed, it may be
    ("grep -r s docs", ASK),
    ("rg s docs", ASK),
    ("rg s", ASK),
    ("diff -r docs src", ASK),
    ("tar c docs", ASK),
    ("find docs -exec cat {} +", ASK),
    ("find docs -name '*.txt' | xargs cat", ASK),
    ("find . -type f -print0 | xargs -0 head", ASK),
    ("cat $(find docs -type f)", ASK),
    ('for f in docs/*/*; do cat "$f"; done', ASK),
    ('cat "docs/$x"', ASK),
    ("grep -R s src", ASK),
    ("cd / && grep -r s .", ASK),
    # a glob that matches nothing may match by then, and what lies elsewhere it is not
    ("cat docs/pri?ate/z*", ASK),
    ("cat none/docs/*", ALLOW),
    ("cat none/docs/private/*", ALLOW),
    # what is elsewhere is free, and so are names below
    ("cat docs/a.txt", ALLOW),
    ("cat docs/*.txt", ALLOW),
    ("cat docs/pub/*", ALLOW),
    ("cat docs/*/n.md", ALLOW),
    ("grep -r s docs/pub", ALLOW),
    ("rg s docs/pub", ALLOW),
    ("grep -r s src", ALLOW),
    ("ls docs", ALLOW),
    ("find docs -name '*.md'", ALLOW),
    ("find docs -name '*.md' -exec cat {} +", ALLOW),
    ('for f in docs/pub/*; do cat "$f"; done', ALLOW),
    ("git status", ALLOW),
]
CHANGES = [
    ("rm docs/private/n.txt", FORBIDDEN),
    ("rm docs/*/n.txt", FORBIDDEN),
    ("rm -r docs", FORBIDDEN),
    ("rm -r docs/*", FORBIDDEN),
    ("sed -i s/s/t/ docs/*/n.txt", FORBIDDEN),
    ("echo x > src/one.txt", FORBIDDEN),
    ("echo x > src/link/new", FORBIDDEN),
    ("tee src/link/n.txt", FORBIDDEN),
    ("find docs -type f | xargs rm", FORBIDDEN),
    ('for f in docs/*/*; do rm "$f"; done', ASK),
    ("cat docs/private/n.txt", ALLOW),
    ("rm src/one.txt", ALLOW),
    ("echo x > docs/a.txt", ALLOW),
    ("rm -r docs/pub", ALLOW),
]


@pytest.mark.parametrize(("text", "decision"), READS)
def test_reading(reading: Engine, project: Path, text: str, decision: Decision) -> None:
    assert reading.check(text, cwd=str(project)).decision is decision


@pytest.mark.parametrize(("text", "decision"), CHANGES)
def test_changing(changing: Engine, project: Path, text: str, decision: Decision) -> None:
    assert changing.check(text, cwd=str(project)).decision is decision


@pytest.mark.parametrize(
    "pattern", ["**/private/*", "**/n.txt", "n.txt", "./docs/pri*", "{}/docs/private/*"]
)
def test_every_sort_of_pattern(project: Path, tmp_path: Path, pattern: str) -> None:
    rule = f'path_rule(["{pattern.format(project)}"], modes = ["read"], decision = "prompt")\n'
    own = engine(tmp_path, rule)
    for text in ("cat docs/*/n.txt", "grep -r s docs", "rg s", "cat src/one.txt"):
        assert own.check(text, cwd=str(project)).decision is ASK
    assert own.check("rg s docs/pub", cwd=str(project)).decision is ALLOW


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("**/n.txt", "docs/private/n.txt"),
        ("**/private/n.txt", "docs/private/n.txt"),
        ("**/private", "docs/private"),
        ("**/priv*", "docs/private/n.txt"),
    ],
)
def test_a_path_below_any_directory(project: Path, tmp_path: Path, pattern: str, path: str) -> None:
    own = engine(tmp_path, f'path_rule(["{pattern}"], decision = "forbidden")\n')
    for text in (f"ls {path}", f"rm -r {path}", f"ls -d {project}/{path}", f"ls $x/{path}"):
        assert own.check(text, cwd=str(project)).decision is FORBIDDEN, text


def test_what_quotes_hold_may_be_a_path_of_a_rule(project: Path, tmp_path: Path) -> None:
    rule = 'path_rule(["/opt/gen/*"], modes = ["write"], decision = "forbidden")\n'
    own = engine(tmp_path, rule)
    for path, may_be in (('"/opt/$(date +%s)"', True), ('"/opt/other/$(date +%s)"', False)):
        verdict = own.check(f"touch {path}", cwd=str(project))
        assert ("may be a path for which a rule" in verdict.reason) is may_be, verdict.reason


def test_after_many_directories_a_whole_path_is_itself(project: Path, tmp_path: Path) -> None:
    rule = 'path_rule(["**/secret/*"], modes = ["write"], decision = "forbidden")\n'
    own = engine(tmp_path, rule)
    moves = "cd secret; " + "".join(f"cd {number}; " for number in range(40))
    for path, decision in (("y", FORBIDDEN), ("~/y", ASK), ("/opt/y", ASK)):
        verdict = own.check(f"{moves}touch {path}", cwd=str(project))
        assert verdict.decision is decision
        assert ("a rule" in verdict.reason) is (decision is FORBIDDEN), verdict.reason


def test_a_rule_that_allows_is_none_of_them(project: Path, tmp_path: Path) -> None:
    own = engine(tmp_path, READ.replace("forbidden", "allow"))
    assert own.check("grep -r s docs", cwd=str(project)).decision is ALLOW


SPARED = (
    'path_rule(["**/*.env", "**/*.pem", "./drizzle/*", "./src/gen/*"],'
    ' modes = ["write", "remove"], decision = "forbidden")\n'
)
REWRITES = [
    # what git keeps beside the files is none of them
    ("git add -A", ALLOW),
    ("git add drizzle", ALLOW),
    ("git commit -m x", ALLOW),
    ("git checkout -b x", ALLOW),
    ("git switch -c drizzle", ALLOW),
    ("git restore --staged drizzle/a.sql", ALLOW),
    ("git branch x", ALLOW),
    ("git tag v1", ALLOW),
    ("cd drizzle && git add .", ALLOW),
    # what its index and commits have it may put there, and what it is told to for certain
    ("git stash", ASK),
    ("git switch old", ASK),
    ("git rebase old", ASK),
    ("git reset --hard", ASK),
    ("git restore .", ASK),
    ("cd drizzle && git stash", ASK),
    # what stands after `--` bounds that
    ("git stash push -m x -- docs", ALLOW),
    ("cd docs && git restore -- .", ALLOW),
    ("git stash push -- DRIZZLE", ASK),
    ("git stash push -- '*'", ASK),
    ("git stash push -- ':!docs'", ASK),
    ("cd docs && git stash push -- ..", ASK),
    ("git restore drizzle/a.sql", FORBIDDEN),
    ("git checkout old -- drizzle", FORBIDDEN),
    ("git rm drizzle/a.sql", FORBIDDEN),
    # what is unpacked is not known
    ("tar xf a.tar", ASK),
    ("unzip a.zip", ASK),
    ("tar xf a.tar -C src", ASK),
    ("git apply a.diff", ASK),
    ("git clean -f", ASK),
    # what is there is looked at, and what is removed is so for certain
    ("ruff format docs", ALLOW),
    ("ruff format src/b.py", ALLOW),
    ("ruff format keys", ALLOW),
    ("prettier --write keys", ALLOW),
    ("prettier --write src", ASK),
    ("prettier --write 'src/**/*.ts'", ASK),
    ("ruff format .", ASK),  # of which it takes files of Python
    ("ruff format keys/a.pem", FORBIDDEN),
    ("ruff format src/gen", FORBIDDEN),
    ("cd docs && ruff format .", ALLOW),
    ("rm -r docs", ALLOW),
    ("rm -r keys", FORBIDDEN),
    ("rm -r k*", FORBIDDEN),
    ("mv keys docs", FORBIDDEN),
    ("rm to-keys", ALLOW),
    ("find docs -name '*.txt' -delete", ALLOW),
    ("find keys -name '*.txt' -delete", ASK),
    # one path is that path
    ("cp a.txt b.txt", ALLOW),
    ("cp docs/a.txt src", ALLOW),
    ("mkdir new", ALLOW),
    ("mkdir src", ASK),
    ("echo x > b.txt", ALLOW),
    ('echo x > "$f"', ASK),
    ("echo x > k.pem", FORBIDDEN),
    ("cp a.txt keys/k.pem", FORBIDDEN),
    ("cp a.txt drizzle", FORBIDDEN),
    ("tee drizzle/a.sql", FORBIDDEN),
    ("cp -r keys other", FORBIDDEN),
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that tracks files of a rule, beside keys that it does not track."""
    top = tmp_path_factory.mktemp("rewritten") / "p"
    files = "drizzle/a.sql docs/a.txt src/b.py a.txt keys/a.pem a.tar src/gen/a.py src/gen/a.ts"
    for name in files.split():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("s\n")
    (top / "to-keys").symlink_to("keys")
    git(top, "init", "-q", "-b", "main")
    (top / ".gitignore").write_text("keys\n")
    committed(top)
    return top


@pytest.fixture(scope="module")
def sparing(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine(tmp_path_factory.mktemp("rules"), SPARED + PRESET + GIT)


GIT = (
    'prefix_rule([["git", "tar", "unzip", "ruff", "find", "prettier"]],'
    ' effects = ["write", "destroy", "execute"])\n'
)


@pytest.mark.parametrize(("text", "decision"), REWRITES)
def test_rewriting(sparing: Engine, repository: Path, text: str, decision: Decision) -> None:
    verdict = sparing.check(text, cwd=str(repository))
    assert verdict.decision is decision, verdict.reason


@pytest.mark.parametrize(
    ("pattern", "text", "decision"),
    [
        ("**/*.pem", "git stash", ALLOW),  # it tracks none, nor has any commit one
        ("**/*.pem", "git switch main", ALLOW),
        ("**/*.pem", "git pull", ASK),  # which brings others
        ("./gone.txt", "git switch main", ASK),  # an older commit has it
        ("./*", "git add -A", FORBIDDEN),  # the whole of a project is also what git keeps of it
        ("./*", "ruff format docs", FORBIDDEN),
        ("./.git/*", "git add -A", ALLOW),
        ("./.git/*", "rm .git/config", FORBIDDEN),
    ],
)
def test_what_git_has(
    repository: Path, tmp_path: Path, pattern: str, text: str, decision: Decision
) -> None:
    gone = repository / "gone.txt"
    gone.write_text("s\n")
    committed(repository, "with")
    gone.unlink()
    committed(repository, "without")
    rule = f'path_rule(["{pattern}"], modes = ["write", "remove"], decision = "forbidden")\n'
    own = engine(tmp_path, rule + PRESET + GIT)
    verdict = own.check(text, cwd=str(repository))
    assert verdict.decision is decision, verdict.reason


def test_where_nothing_is_known_of_a_tree_it_asks(tmp_path: Path) -> None:
    own = engine(tmp_path, SPARED + PRESET + GIT)
    for text in ("rm -r docs", "ruff format docs", "git stash"):
        verdict = decide(Request(text=text, cwd="/p"), own.snapshot, Blind())
        assert verdict.decision is ASK, verdict.reason


MOVES = [
    # it could be read where it then lies
    ("mv docs/private/n.txt n", FORBIDDEN),
    ("mv docs/private p; cat p/n.txt", FORBIDDEN),
    ("mv docs d2; cat d2/private/n.txt", ASK),
    ("mv docs/* d2/", ASK),
    ("git mv docs d2", ASK),
    ("mv docs/pub p", ALLOW),
    ("mv src/b.py c.py", ALLOW),
]


@pytest.fixture(scope="module")
def moving(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine(tmp_path_factory.mktemp("rules"), READ + PRESET)


@pytest.mark.parametrize(("command", "decision"), MOVES)
def test_moving_what_may_not_be_read(
    command: str, decision: Decision, moving: Engine, project: Path
) -> None:
    assert moving.check(command, cwd=str(project)).decision is decision
