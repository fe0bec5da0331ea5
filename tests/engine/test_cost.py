"""What a text of 4 kB may cost: calls of functions are counted, which no machine changes.

One command again and again, over its operands, each joined to the next in one of the ways of a
shell. What a step of a request does is compared with other steps, so this is where work grows with
the square of a text.
"""

import cProfile
import pstats
import random
from itertools import product
from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.engine.paths import possible_paths
from execpolicy.model.decision import Decision
from execpolicy.places import resolver
from execpolicy.places.repository import history
from execpolicy.support.resources import presets_directory
from tests.repositories import new_repository

LENGTH = 4000
MAX_CALLS = 4_500_000
"""Of these the slowest, `sed -i` of a glob again and again, needs nine tenths."""
MAX_GROWTH = 12.0
"""Of calls for four times the text: 4 where they grow with it, 16 with its square."""
MAX_OPERANDS = 6.0
"""The same for the operands of one command, where nothing is done before."""
SAMPLE = 1

COMMANDS = (
    "sed -i '' s/a/b/ {}",
    "cp {} d%",
    "mv {} d%",
    "ln -s {} l%",
    "rsync -a {} o%/",
    "tar cf a%.tar {}",
    "rm -rf {}",
    "cd {}",
    "echo x > {}",
    "tee {} < in%",
    "grep -r x {}",
    "git switch b%; cat {}",
    "find {} -name x -exec rm {} +",
    "ls {} | xargs rm",
    "for f in {}; do rm $f; done",
    "bash -c 'cat {}'",
    "echo $(cat {})",
    "test -f {} && . {}",
    "fn%() { cat {}; }; fn%",
    "(cd {}; cat {})",
    "export A%={}",
)
OPERANDS = (
    *("src/*.ts", "src/f%.ts", "$x", "$(date)", "*", "**/*.ts", "''", '"$a/$b"', "{a,b}%"),
    *("src", "../o%", "/tmp/x%", "~/q%", "src/{f1,f2,*}.ts", "[a-z]*"),
)
SEPARATORS = ("\n", " && ", " | ", "; ", " & ")
EVERY = list(product(COMMANDS, OPERANDS, SEPARATORS))
SAMPLED = random.Random(31).sample(EVERY, SAMPLE)  # noqa: S311
MIXED = (1, 2)
WORST = [
    ("sed -i '' s/a/b/ {}", "src/*.ts", "\n"),
    ("ln -s {} l%", "$(date)", " && "),
    ("cp {} d%", "$x", " | "),
    ("rsync -a {} o%/", "src/*.ts", " & "),
    ("rsync -a {} o%/", ".", "\n"),
    ("ln -s {} l%", "''", "; "),
    ("mv {} s%; mv s% {}", "src", "\n"),
    ("mv f% f@", "", "\n"),
    ("A@=$A%/x; cat $A@/y", "", "\n"),
    ("rm {}", "a{1..250}", "\n"),
]


@pytest.mark.parametrize(("command", "operand", "between"), WORST + SAMPLED)
def test_calls_grow_with_the_text(
    command: str, operand: str, between: str, repository: Path
) -> None:
    small = _calls(command, operand, between, LENGTH // 4, repository)
    large = _calls(command, operand, between, LENGTH, repository)
    assert large < MAX_CALLS
    assert large < small * MAX_GROWTH


@pytest.mark.parametrize(
    ("command", "operand"),
    [
        ("ln -s", "f%"),
        ("scp", '"$v/%"'),
        ("git diff --", "*%"),
    ],
)
def test_calls_grow_with_the_operands(command: str, operand: str, repository: Path) -> None:
    """Of one command, of which each path is asked about."""
    small, large = (
        _counted(
            f"{command} {_text('{}', operand, ' ', length)}", f"{command} {operand}", repository
        )
        for length in (LENGTH // 8, LENGTH // 2)
    )
    assert large < MAX_CALLS
    assert large < small * MAX_OPERANDS


@pytest.mark.parametrize("line", ["export A%=${A@}a", "export A%=a; cat $A%"])
def test_what_a_text_exports_is_looked_at_once(line: str, repository: Path) -> None:
    """Not again for each command that receives it."""
    small, large = (
        _counted(_text(line, "", "\n", length), "export A=a", repository)
        for length in (LENGTH // 4, LENGTH)
    )
    assert large < small * MAX_OPERANDS


def test_limits_of_a_search_are_asked_for_few_files(repository: Path) -> None:
    """Those that may be of a class, not all of a tree."""
    text = _text("rg -n a% -g '*.ts' -g '!d%' {}", "src", "; ", LENGTH // 4)
    few = _counted(text, "rg -g '*.ts' a src", repository)
    for number in range(300):
        (repository / f"src/g{number}.ts").touch()
    many = _counted(text, "rg -g '*.ts' a src", repository)
    for number in range(300):
        (repository / f"src/g{number}.ts").unlink()
    assert many < few * 4


def test_names_that_arrive_by_globs_are_bounded(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine.load(rules=[f"{presets_directory()}/developer.rules"], cwd=str(repository))
    assert engine.check("cp src/*.ts lib/", cwd=str(repository)).allowed
    monkeypatch.setattr(possible_paths, "MAX_NAMED", 29)
    assert not engine.check("cp src/*.ts lib2/", cwd=str(repository)).allowed


@pytest.mark.parametrize("seed", MIXED)
def test_a_mixed_text_costs_no_more(seed: int, repository: Path) -> None:
    text = _mixed(random.Random(seed))  # noqa: S311
    assert _counted(text, _mixed(random.Random(0)), repository) < MAX_CALLS  # noqa: S311


@pytest.mark.parametrize(
    ("last", "decision"),
    [
        ("ls", Decision.PROMPT),
        ("rm -rf /", Decision.FORBIDDEN),
        (":() { : | : & }; :", Decision.FORBIDDEN),
    ],
)
def test_what_takes_too_many_looks_asks_and_each_command_counts(
    last: str, decision: Decision, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine.load(cwd=str(repository))
    text = f"cat src/*.ts; cd src && cat *.ts; {last}"
    before = engine.check(text, cwd=str(repository))
    monkeypatch.setattr(resolver, "MAX_LOOKS", 50)
    verdict = Engine.load(cwd=str(repository)).check(text, cwd=str(repository))
    assert before.decision is (Decision.ALLOW if last == "ls" else decision)
    assert (verdict.decision, verdict.confined) == (decision, decision)
    assert "looks to judge" in verdict.judged[-1].matches[0].reason


def test_what_is_asked_for_a_proposal_is_not_counted(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdict = Engine.load(cwd=str(repository)).check("git push", cwd=str(repository))
    monkeypatch.setattr(resolver, "MAX_LOOKS", 0)
    assert verdict.amendments


@pytest.fixture(name="repository", scope="module")
def repository_(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with as many files as a glob of a small one matches."""
    top = tmp_path_factory.mktemp("project")
    for name in (".git/objects", ".git/refs", "src"):
        (top / name).mkdir(parents=True)
    (top / ".git/HEAD").write_text("ref: refs/heads/main\n")
    for number in range(30):
        (top / f"src/f{number}.ts").touch()
    return top


def _calls(command: str, operand: str, between: str, length: int, top: Path) -> int:
    text = _text(command, operand, between, length)
    return _counted(text, _text(command, operand, between, 200), top)


def _counted(text: str, before: str, top: Path) -> int:
    """How many functions are called for a text, after one that loads what is lazy."""
    engine = Engine.load(cwd=str(top))
    engine.check(before, cwd=str(top))
    profile = cProfile.Profile()
    with profile:
        engine.check(text, cwd=str(top))
    return pstats.Stats(profile).total_calls  # type: ignore[attr-defined, no-any-return]


def _mixed(chance: random.Random) -> str:
    """A text of several commands over several operands, some of them again and again."""
    commands, operands = chance.sample(COMMANDS, 6), chance.sample(OPERANDS, 6)
    between, found, number = chance.choice(SEPARATORS), "", 0
    while len(found) < LENGTH:
        operand = chance.choice(operands).replace("%", str(number))
        command = chance.choice(commands).replace("%", str(number))
        written = command.replace("{} +", "\0").replace("{}", operand).replace("\0", "{} +")
        found += (between if found else "") + written
        number += chance.randint(0, 1)
    return found[: found.rfind(between)]


def _text(command: str, operand: str, between: str, length: int) -> str:
    written = command.replace("{} +", "\0").replace("{}", operand).replace("\0", "{} +")
    found = ""
    number = 0
    while len(found) < length:
        found += (between if found else "") + written.replace("%", str(number))
        number += 1
        found = found.replace("@", str(number))
    return found[: found.rfind(between)] if between in found else found


def test_what_is_not_followed_to_its_end_asks_and_is_never_refused() -> None:
    """So many words that not all are tried as the directory of a path: the path may be any."""
    words = "; ".join(f"echo d{number}/*" for number in range(400))
    verdict = Engine.load(rules=[]).check(f'cd "$x"; {words}; echo hi > a.txt', cwd="/tmp")
    assert verdict.decision is Decision.PROMPT


def test_git_is_asked_about_all_revisions_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_repository(tmp_path)
    asked: list[tuple[str, ...]] = []

    def ask(own: object, program: str, words: tuple[str, ...], given: bytes) -> bytes | None:
        asked.append(words)
        return real(own, program, words, given)  # type: ignore[arg-type]

    real = history.ask
    monkeypatch.setattr(history, "ask", ask)
    names = " ".join(f"f{number}" for number in range(100))
    Engine.load(rules=[]).check(f"git checkout -- {names}", cwd=str(tmp_path))
    assert [words[0] for words in asked] == ["cat-file"]
