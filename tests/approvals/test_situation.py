"""What an approval of a command rests on: the content of what the catalogue says it executes."""

from pathlib import Path

import pytest

from execpolicy import Decision, Engine, Request
from execpolicy.approvals.situation import subjects
from execpolicy.approvals.subject import narrowest
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.approval import Reach
from execpolicy.model.operation import Exec
from tests.approvals.support import Desk, repository
from tests.catalogue.shipped import RULES, programs
from tests.examples import sampled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ALLOW = Decision.ALLOW

SCRIPTS = {
    "python3.12 a": "a",
    "python3 -u -W ignore a.py": "a.py",
    "python3 -m pdb a.py": "a.py",
    "python3 -m a": "a.py",
    "pypy3 a.py": "a.py",
    "timeout 5 python3 a.py": "a.py",
    "bash -c 'python3 a.py'": "a.py",
    "uv run a.py": "a.py",
    "tsx a.ts": "a.ts",
    "ts-node a.ts": "a.ts",
    "deno run a.ts": "a.ts",
    "bun a.ts": "a.ts",
    "bun run a.ts": "a.ts",
    "node a": "a.js",
    "node -r ./a b.js": "a.js",
    "node --import=./a.mjs b.js": "a.mjs",
    "go run a.go": "a.go",
    "java A.java": "A.java",
    "julia a.jl": "a.jl",
    "lua5.4 a.lua": "a.lua",
    "perl5.36 a.pl": "a.pl",
    "ruby -r./a b.rb": "a.rb",
    "php8.2 a.php": "a.php",
    "elixir a.exs": "a.exs",
    "expect a.exp": "a.exp",
    "awk -f a.awk b": "a.awk",
    "awk --file=a.awk b": "a.awk",
    "gawk -fa.awk b": "a.awk",
    "sed -f a.sed b": "a.sed",
    "emacs --script a.el": "a.el",
    "bash a.sh": "a.sh",
    "busybox sh a.sh": "a.sh",
    "ksh a.sh": "a.sh",
    "fish a.fish": "a.fish",
    "./a.sh": "a.sh",
    "sub/../a.sh": "a.sh",
    "{project}/a.sh": "a.sh",
    "cd sub && python3 {project}/a.py": "a.py",
    "make -f a": "a",
    "make --makefile=a test": "a",
    "just -f a test": "a",
    "cmake -P a.cmake": "a.cmake",
    "pytest a.py": "a.py",
    "npx --no tsc": "node_modules/.bin/tsc",
    "frobnicate a": "a",
    "frobnicate --with=a": "a",
    "kubectl apply -f a": "a",
    "wget -i a": "a",
    "curl -d @a https://x.example": "a",
    "rsync -r --files-from=a sub h:d": "a",
    "aws s3 cp a s3://b": "a",
    "aws lambda update-function-code --function-name f --zip-file fileb://a": "a",
    "gh api graphql -F query=@a": "a",
    "crontab a": "a",
    "systemctl enable ./a": "a",
    "git apply a": "a",
    "patch -p1 -i a": "a",
}
"""Commands, each with the file that it runs or may run, or that says what it does."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = repository(tmp_path / "p")
    (made / "sub").mkdir()
    (made / "node_modules/.bin").mkdir(parents=True)
    return made


@pytest.fixture
def desk(project: Path) -> Desk:
    return Desk(project)


@pytest.mark.parametrize(("command", "name"), SCRIPTS.items())
def test_another_content_is_another_command(
    desk: Desk, project: Path, command: str, name: str
) -> None:
    file, command = project / name, command.replace("{project}", str(project))
    file.write_text("1\n")
    desk.approve(command)
    assert desk.ask(command) is ALLOW
    file.write_text("2\n")
    assert desk.ask(command) is not ALLOW
    file.write_text("1\n")
    assert desk.ask(command) is ALLOW


@pytest.mark.parametrize(
    ("command", "name"), [("python3 a.py", "a.py"), ("./a", "a"), ("node a", "a.js")]
)
def test_what_was_not_there_is_another_command(
    desk: Desk, project: Path, command: str, name: str
) -> None:
    desk.approve(command)
    assert desk.ask(command) is ALLOW
    (project / name).write_text("1\n")
    assert desk.ask(command) is not ALLOW


@pytest.mark.parametrize(
    "command",
    [
        "source ./a",
        "python3",
        "python3 < a",
        "bash < a",
        "bash -s x < a",
        "python3 sub",
        "python3 .",
        "groovy a",
        "npx tsc",
        "sort --compress-program=x -o a a",
        "git -c core.pager=./a log",
        "docker exec c python3 a",
        "docker exec c ./a",
        "ssh host bash a",
        "echo 1 > a; python3 a",
        "echo 1 > ./sub/../a; ./a",
        "cp b a && python3 a",
        "mv b a; awk -f a b",
        "git checkout b -- . && python3 a",
        "kubectl apply -f - < a",
        "cat a | kubectl apply -f -",
        "ssh host uptime < a",
        "crontab - < a",
        "nc host 1 < a",
        "patch -p1 < a",
        "git am < a",
    ],
)
def test_code_of_which_no_file_is_known_asks_each_time(
    desk: Desk, project: Path, command: str
) -> None:
    for name in ("a", "b"):
        (project / name).write_text("1\n")
    assert not desk.question(command).remembered


@pytest.mark.parametrize(
    "command",
    [
        "npm test",
        "make",
        "make -C sub",
        "python3 -c 'print(1)'",
        "python3 -m pytest -q",
        "node -e 'a/b'",
        "python3 - <<'E'\nprint(1)\nE",
        "git push",
        "frobnicate x",
    ],
)
def test_code_of_the_project_and_of_the_words_is_agreed_to_once(
    desk: Desk, project: Path, command: str
) -> None:
    desk.approve(command)
    (project / "src.py").write_text("1\n")
    assert desk.ask(command) is ALLOW


def _lines() -> list[str]:
    """The examples of the catalogue that execute."""
    rows = (row for path in RULES for entry in programs(path) for row in entry.examples)
    return [line for effect, lines in rows if effect == "execute" for line in lines]


def _named(line: str, engine: Engine) -> "Iterator[tuple[int, str]]":
    """The commands that run code and no other command, by their numbers, and each word of them that
    may be the name of a file."""
    for number, step in enumerate(unwrap(Request(text=line), engine.snapshot)):
        reading, operation = step.reading, step.operation
        if reading is None or reading.inner or not isinstance(operation, Exec):
            continue
        if reading.cwd is not None:
            continue  # its words are names in another directory
        if any(cause.effect == "execute" for cause in reading.effects):
            words = (word for word in operation.argv[1:] if isinstance(word, str))
            yield from ((number, word) for word in words if word.replace(".", "a").isalnum())


@sampled(7)
def test_no_example_of_the_catalogue_outlives_a_file_that_it_names(
    project: Path, step: int
) -> None:
    engine = Engine.load(rules=[], cwd=project)

    def reach(line: str, number: int) -> Reach | None:
        request = Request(text=line, cwd=str(project))
        verdict = engine.decide(request)
        judged = verdict.judged[number]
        if not any("execute" in match.effects for match in judged.matches):
            return None  # not in this project
        found = subjects(request, verdict, engine.snapshot, engine.resolver)
        return narrowest(judged, found[number])

    tried, outlived = 0, []
    for line in _lines()[::step]:
        for number, word in _named(line, engine):
            file = project / word
            if file.exists():
                continue  # `.` and `sub`
            file.write_text("1")
            before = reach(line, number)
            file.write_text("2")
            if before is not None:
                tried += 1
                outlived += [(line, word)] if reach(line, number) == before else []
            file.unlink()
    assert tried > 50
    assert not outlived
