"""Which files a command reads whose names another one prints, on a disk.

The project has a `.env` that git ignores, and so do `rg` and `fd`.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from execpolicy import Decision, Engine
from execpolicy.support.resources import presets_directory

ASK, ALLOW = Decision.PROMPT, Decision.ALLOW


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("feeds") / "project"
    return made(root, {".env": "A=1\n", "src/a.py": "1\n", "b.py": "1\n", ".gitignore": ".env\n"})


def made(root: Path, files: dict[str, str]) -> Path:
    """A repository with these files, of which git tracks what it does not ignore."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=root, check=True, env={**os.environ, **git})
    return root


BOUNDED = [
    "cat $(git ls-files)",
    "ls .giti* | xargs cat",
    "cat $(git diff --name-only)",
    "git diff --name-only --diff-filter=d HEAD | xargs cat",
    "git grep -l x | xargs grep -n y",
    "rg -l x | xargs cat",
    'rg -l "$(date +%Y)" | xargs cat',
    "rg --files src | xargs head -3",
    "grep -rl x src | xargs cat",
    "grep -l x *.py | xargs cat",
    "grep -r --include='*.py' x .",
    "grep -ri --include '*.py' x .",
    "rg -uu -ig'*.py' x",
    "git diff --name-only --cached --diff-filter=d | xargs cat",
    "fd -e py | xargs cat",
    "find . -name '*.py' | head -3 | xargs cat",
    "find -L src -name '*.py' | xargs cat",
    "find src -type f -not -name '*.pyc' -print0 | xargs -0 cat",
    r"find . -not \( -path ./x -prune \) -name '*.[cp]y' -exec cat {} \;",
    r"git ls-files | xargs -d '\n' -n1 cat",
    "git ls-files -z | xargs --null cat",
    "git ls-files | xargs --max-args=2 cat",
    # a name leads from another directory, which is known
    "find src -type f | (cd src && xargs cat)",
    # a loop takes its values from the same
    'for f in $(git diff --name-only); do echo "$f"; head -5 $f; done',
    'for f in $(find src -type f); do cat "$f"; done',
    'for f in $(git ls-files); do wc -l "${f}" | sort; done',
    'git diff --name-only | while read -r f; do cat "$f"; done',
    'git ls-files | grep -v x | while IFS= read -r f; do cat "$f"; done',
    'while read -r f; do cat "$f"; done < <(git ls-files)',
]


@pytest.mark.parametrize("text", BOUNDED)
def test_what_is_read_has_a_bound(engine: Engine, project: Path, text: str) -> None:
    assert engine.check(text, cwd=str(project)).decision is ALLOW


CHANGED = [
    "find . -name '*.py' -exec sed -i s/a/b/ {} +",
    "find src -name '*.py' -exec touch {} ';'",
    "find src -type f -exec gofmt -w {} +",
    "find . -name '*.py' -exec grep -l x {} +",
    "sed -i s/a/b/ src/*.py",
]


@pytest.mark.parametrize("text", CHANGED)
def test_what_is_changed_has_a_bound(project: Path, text: str) -> None:
    """`{}` is not a name of the request's own, and what follows a script is no other script."""
    made = Engine.load(rules=[f"{presets_directory()}/developer.rules"]).check(text, cwd=project)
    assert made.confined is ALLOW
    assert {"credentials", "control"}.isdisjoint(p for m in made.matches for p in m.places)


UNBOUNDED = [
    "cat $(ls -a)",
    "find . -type f | xargs cat",
    "grep -l x -r . --include='*'",
    "grep -l x $y",
    # what is printed is not a name, or another one
    "find . -name '*.py' -printf '.%%s' | xargs cat",
    "find src -name '*.py' -exec head -1 {} + | xargs cat",
    "cat $(git ls-files --format=%x2eenv)",
    "cat $(git diff --name-only --line-prefix=.e)",
    "git diff --name-only HEAD~3 | xargs cat",
    "git diff --name-only --cached | xargs cat",
    "git ls-files -o | xargs cat",
    "git ls-files | sed 's/^/./' | xargs cat",
    "grep -r --include='*.py' --include='[.]env' x .",
    "git grep x | xargs cat",
    "git grep -l --frob x | xargs cat",
    "git ls-files | xargs --arg-file=list cat",
    # a name leads from another directory, which is computed
    'find src -type f | (cd "$D" && xargs cat)',
    """find . -name '*.py' | (cd "$D"; xargs cat)""",
    'git ls-files | (cd "$D" && xargs cat)',
    # what is hidden or ignored is seen as well
    "rg --files -uu | xargs cat",
    "rg --files -g '*' | xargs cat",
    "rg --files --type-add 'x:*' -t x | xargs cat",
    "fd -H . | xargs cat",
    # a computed word may be an option or a test
    "find . -name '*.py' $y -exec cat {} +",
    "find . -na$y '*.py' -exec cat {} +",
    "git ls-files | xargs $y cat",
    "fd -e py $y | xargs cat",
    "git diff --name-only --diff-filter=$y HEAD | xargs cat",
    # the variable is another one
    'cat "$f"; for f in $(git ls-files); do :; done',
    'for f in $(git ls-files); do :; done; cat "$f"',
    'for f in $(git ls-files); do f=.$e; cat "$f"; done',
    'for f in $(git ls-files); do printf -v f .%s env; cat "$f"; done',
    'for f in $(git ls-files); do cat ".$f"; done',
    'for f in $(git ls-files) $x; do cat "$f"; done',
    'for f in $(git ls-files | tr a b); do cat "$f"; done',
    'git ls-files | while read -r f; do cat "$f"; done < list',
    'git ls-files | while read -r f g; do cat "$g"; done',
    'for f in $(git ls-files); do eval "$x"; cat "$f"; done',
    "git() { printf .%s env; }; cat $(git ls-files)",
]


@pytest.mark.parametrize("text", UNBOUNDED)
def test_what_is_read_has_no_bound(engine: Engine, project: Path, text: str) -> None:
    assert engine.check(text, cwd=str(project)).decision is ASK


LEAKS = [
    # the search goes elsewhere than the words of its tests say
    r"find . ! \( -name '*.py' \) -type f -exec cat {} +",
    "find . ! -path -name -type f -exec cat {} +",
    "find . ! -path -iname -print0 | xargs -0 cat",
    "find . -type f -exec cat {} + -name '*.py'",
    "find . -type f -print -name '*.py' | xargs cat",
    "find . -maxdepth 1 -name '[!a]*' -type f | xargs cat",
    "find . -maxdepth 1 -name '[[:punct:]]env' -type f | xargs cat",
    "find ke* -type f | xargs cat",
    "find ./ke* -type f -exec cat {} +",
    "rg --files k*s | xargs cat",
    'find "$HOME"/.s* -type f -exec cat {} +',
    'find "$(cat home)" -type f -exec cat {} +',
    """grep -rl '' "$(cat home)" | xargs cat""",
    # a glob of `ls` that matches a directory, or nothing
    "cat $(ls *.d)",
    "shopt -s nullglob; cat $(ls *.none)",
    # a link that git tracks, or that a search comes upon
    "git ls-files '*.txt' | xargs cat",
    "find src -name '*.txt' -exec cat {} +",
    "grep -rh '' -- $(find src -maxdepth 1)",
    "grep -rh '' -- $(git ls-files src)",
    "fd -td | xargs grep -rh '' --",
    "grep -Rl '' src | xargs cat",
    # nothing is printed: what searches all below its words searches where it is then
    "git ls-files no.such | xargs grep -rh ''",
    "grep -rh '' $(git ls-files no.such)",
    "find . -name no.such -print0 | xargs -0 grep -rh '' --",
    "for f in $(git ls-files a); do grep -rh '' ${f#a}; done",
    # only a part of each line
    "git ls-files | head -c4 | xargs cat",
    "git ls-files x* | { head -c 3 >/dev/null; xargs cat; }",
    "git ls-files a x* | while read -r f; do head -c 3 >/dev/null; cat $f; done",
    "while read -r f; do head -c 3 >/dev/null; cat $f; done < <(git ls-files a x*)",
    # `xargs` takes its words from elsewhere, or takes them apart elsewhere
    "git ls-files | xargs cat < names",
    "git ls-files | xargs -ra names cat",
    "git ls-files | xargs --arg=names cat",
    "git ls-files | { xargs cat; } < names",
    "git ls-files | { exec < names; xargs cat; }",
    "git ls-files | xargs -d, cat",
    "git ls-files | xargs --delim=, cat",
    # more than what is printed
    r"find nv -exec cat .e{} \;",
    "git ls-files | xargs -I% head -n1 .e%",
    "ls n* | xargs -I% cat .e%",
    # bash leaves out zero bytes, `read` the end of a line
    "cd part && cat $(git ls-files -z .e nv)",
    "cd part && cat $(find .e nv -maxdepth 0 -print0)",
    r"cd part && find '.e\' nv -maxdepth 0 | while read f; do cat $f; done",
]


PATHSPECS = [
    "cat $(git ls-files ..)",
    "cat $(git ls-files :/)",
    "git grep -l '' -- .. | xargs cat",
    "cat $(git ls-files '../*.py' ../.e*)",
    "cd .. && git ls-files ':!src/*.py' | xargs cat",
    "cd .. && git ls-files ':(top,exclude)src/*.py' | xargs cat",
]


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that is made to mislead, in a home with a key."""
    home = tmp_path_factory.mktemp("trap")
    tracked = ("src/a.py", "a", "xyz.env", "nv", ".env.example", "a,.env,b", "part/nv", "part/.e")
    root = made(home / "project", dict.fromkeys(tracked, "plain\n"))
    (root / "src/link.txt").symlink_to(home / ".ssh/id_rsa")
    (root / "src/keys").symlink_to(home / ".ssh")
    made(root, {})
    secret = (".ssh/id_rsa", "project/.env", "project/keys/a.pem", "project/part/.env")
    plain = ("project/x.d/nv", "project/part/.e\\", "project/x.d/a .env")
    for names, text in ((secret, "SECRET\n"), (plain, "plain\n")):
        for name in names:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text)
    (home / "project/home").write_text(f"{home}/.ssh\n")
    (home / "project/names").write_text(".env\n")
    return root


@pytest.mark.parametrize("text", LEAKS)
def test_bash_reads_a_key_and_it_asks(
    engine: Engine, trap: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("HOME", str(trap.parent))
    leaks(engine, trap, text)


@pytest.mark.parametrize("text", PATHSPECS)
def test_a_pathspec_leads_out_or_leaves_something_out(
    engine: Engine, tmp_path: Path, text: str
) -> None:
    project = made(tmp_path / "project", {".env": "SECRET\n", "src/a.py": "plain\n"})
    assert engine.check("cat $(git ls-files)", cwd=str(project / "src")).decision is ALLOW
    leaks(engine, project / "src", text)


def leaks(engine: Engine, project: Path, text: str) -> None:
    """The engine asks about a text, and bash shows why, where its programs are here."""
    assert engine.check(text, cwd=str(project)).decision is ASK
    if shutil.which(text.split()[0]) or text[:2] == "cd":
        done = subprocess.run(
            ["bash", "-c", text], cwd=project, capture_output=True, stdin=subprocess.DEVNULL
        )
        assert b"SECRET" in done.stdout


@pytest.mark.parametrize("directory", ["..", "../other", "../other/keys"])
@pytest.mark.parametrize(
    "text", ["rg --files {} | xargs cat", "cat $(rg -l . {})", "fd . {} | xargs cat"]
)
def test_files_of_another_directory(
    engine: Engine, project: Path, text: str, directory: str
) -> None:
    other = project.parent / "other" / "keys"
    other.mkdir(parents=True, exist_ok=True)
    (other / "server.key").write_text("k\n")
    assert engine.check(text.format(directory), cwd=str(project)).decision is ASK


@pytest.mark.parametrize("name", ["a .env", "a\t.env", '.e"n"v', "a /x/.ssh/id_rsa", "x .e*"])
@pytest.mark.parametrize(
    "text",
    [
        "cat $(git ls-files)",
        "git ls-files | xargs cat",
        "cat $(find . -name '*')",
        'git ls-files | while read -r f; do cat "$f"; done',
    ],
)
def test_a_name_that_is_taken_apart(engine: Engine, tmp_path: Path, name: str, text: str) -> None:
    made(tmp_path / "project", {name: "", "b.py": ""})
    assert engine.check(text, cwd=str(tmp_path / "project")).decision is ASK
