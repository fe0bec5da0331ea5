"""Which files of a tree a search reads: the limits of GNU grep and ripgrep, as the programs mean
them. What they print decides.
"""

import shutil
from pathlib import Path

import pytest

from execpolicy import Decision, Engine
from execpolicy.catalogue.reading.reading import Limit
from execpolicy.engine.paths.feeds.limits import limits
from execpolicy.engine.paths.feeds.name_globs import alternatives, fits
from tests.places.searches import compared

ASK, ALLOW = Decision.PROMPT, Decision.ALLOW
FILES = (".env", "cfg/.env", ".aws/credentials", "src/a.py", "src/id_rsa", "env/b.py", "x.json")


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("search")
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("A=1\n")
    (root / ".git").mkdir()
    return root


READ = [
    # a directory is left out by its own name, wherever it is, and no file is
    "grep -rn A . --exclude-dir=env",
    "grep -r A . --exclude-dir=.env",
    "grep -r A ./ --exclude-dir=cfg",
    "grep -r A src/.. --exclude-dir=src",
    # the last of `--include` and `--exclude` that fits decides, and case counts
    "grep -r A . --include=.env",
    "grep -r A . --exclude=.env --include=.env",
    "grep -r A . --exclude='*.py'",
    "grep -r A . --exclude=.ENV",
    "grep -r A . --exclude='*.py' --include='*.md'",
    "grep -r A . --inc='.e*'",
    "grep -r A . --include '[.]env'",
    "grep -r -e --include=*.py A .",
    "grep -r A . --exclude-from=src/a.py",
    "grep -r A . --exclude-from=src/a.py --include='*.py'",
    "cd src; grep -r A .. --include=.env",
    *("git -C cfg grep --no-index A", "git -C src/../cfg grep --no-index A .env"),
    # GNU takes a beginning of a value, and a computed one may be any
    *("grep -d rec A .", "grep --directories=recu A .", "grep -ird rec A", 'grep -d "$x" A .'),
    # -g brings back what is hidden, where the last glob that fits has no `!`
    "rg -g .env A",
    "rg A -g '*'",
    "rg -uu A -g '*.env'",
    "rg -g'!*' -g.env A",
    "rg --hidden A -g '!env'",
    "rg --hidden A -g '!.env/'",
    "rg --hidden A -g '!.ENV'",
    "rg --iglob .ENV A",
    "rg --iglob .env -g '!.env' A",
    "rg -g '{.env,x}' A",
    "rg -g '**/.env' A",
    "rg -g credentials -g .aws A",
    "rg -tjson A",
    "rg --type-add 'py:*.env' -tpy A",
    "rg A -g '*.py' src -g id_rsa",
]
LEFT = [
    "grep -rn A . --include='*.py'",
    "grep -rn A . --include='*.py' --include='*.js' --exclude-dir=src",
    "grep -rn A env",
    "grep -r A . --exclude='.env' --exclude=id_rsa --exclude=credentials",
    "grep -r A . --exclude-dir=src --exclude-dir=.aws --exclude='.e*'",
    "grep -rl A --include='*.[ch]'",
    *("grep -d skip A src", "grep -d read A ."),
    "rg A env",
    "rg -g '*.py' A",
    "rg -g '*.{py,ts}' A",
    "rg -tpy A env",
    "rg -uu -g '!.env' -g '!id_rsa' -g '!.aws' A",
    "rg -g .env -g '!*' A env",
    "rg -g credentials -g '!id_rsa' A",
]


@pytest.mark.parametrize("text", READ)
def test_a_key_that_a_search_reads_asks(engine: Engine, project: Path, text: str) -> None:
    assert engine.check(text, cwd=str(project)).decision is ASK


@pytest.mark.parametrize("text", LEFT)
def test_a_key_that_a_search_leaves_out_does_not(engine: Engine, project: Path, text: str) -> None:
    assert engine.check(text, cwd=str(project)).decision is ALLOW


def test_a_glob_finds_what_is_hidden_where_a_list_shows_the_directory(
    engine: Engine, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".env").mkdir()
    (tmp_path / ".env/.netrc").write_text("A=1\n")
    assert engine.check("rg -g .netrc A", cwd=str(tmp_path)).decision is ALLOW
    (tmp_path / ".gitignore").write_text("!.env\n")
    assert engine.check("rg -g .netrc A", cwd=str(tmp_path)).decision is ASK


PATTERNS = [
    *("grep -q A .env", "grep -c A .env", "grep -l A .env", "grep -L A .env", "grep -cv A .env"),
    *("grep -rl A .", "grep -rq A src", "egrep -c A .env", "rg -q A .env", "rg -c A .env"),
    *("rg -l A .env", "rg --count-matches A .env", "rg --files-without-match A src", "ag -l A src"),
    *("ack -c A src", "awk '/A/{exit 1}' .env", "cmp -s .env x.json", "diff -q .env x.json"),
    *("for c in a b; do grep -q ^$c .env && echo $c; done", "sed -n '/A/q1' .env"),
    *("zgrep -q A .env", "md5sum .env"),
]


@pytest.mark.parametrize("text", PATTERNS)
def test_a_pattern_on_a_key_is_its_content(engine: Engine, project: Path, text: str) -> None:
    verdict = engine.check(text, cwd=str(project))
    assert (verdict.decision, verdict.confined) == (ASK, ASK)


@pytest.mark.parametrize("text", ["wc -c .env", "wc -l .env", "ls -l .env", "stat .env"])
def test_sizes_and_plain_counts_are_not(engine: Engine, project: Path, text: str) -> None:
    assert engine.check(text, cwd=str(project)).decision is ALLOW


def test_a_tree_without_bounds_asks_unless_only_code_is_read() -> None:
    assert limits([Limit("code-include", "*.py")]).code
    assert not limits([Limit("code-include", "*.py"), Limit("include", "*.env")]).code
    assert not limits([Limit("exclude", "x"), Limit("code-include", "*.py")]).code
    assert limits([Limit("code-glob", "*.py"), Limit("glob", "!x")]).code
    assert not limits([Limit("code-glob", "*.py"), Limit("glob", "*.env")]).code
    assert not limits([Limit("include", "*.cfg")]).may_take(".env")
    assert limits([Limit("include", "*.pem")]).may_take("*.pem")
    assert limits([Limit("glob", "!*.pem")]).may_take(".env")


@pytest.mark.parametrize(
    ("glob", "name", "found"),
    [
        *(("*.[ch]", "a.h", True), ("[!a]b", "ab", False), ("[^a]b", "cb", True)),
        *(("[a-c]", "b", True), ("[]]", "]", True), ("\\*", "*", True), ("\\*", "a", False)),
        *(("[[:alpha:]]", "a", None), ("[a", "[a", None), ("a\\", "a", None), ("?", ".", True)),
    ],
)
def test_a_glob_on_a_name(glob: str, name: str, found: bool | None) -> None:
    assert fits(glob, name) is found


def test_braces_are_alternatives() -> None:
    assert alternatives("{a,b}.{c,}") == ("a.c", "a.", "b.c", "b.")
    assert alternatives("{a,{b,c}}") == alternatives("{a") == alternatives("[{]{a,b}") == ()
    assert alternatives("{a,b}" * 9) == ()


@pytest.mark.parametrize("program", ["grep", "rg"])
@pytest.mark.parametrize(
    ("seed", "count"),
    [(7, 80), *(pytest.param(n, 500, marks=pytest.mark.rest) for n in range(100, 120))],
)
def test_what_the_program_shows_is_never_allowed(
    program: str, seed: int, count: int, tmp_path: Path
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program}")
    found = compared(program, tmp_path, seed, count)
    assert found.passed == []
    assert found.shown >= count / 20
    assert found.strict < count / 2
