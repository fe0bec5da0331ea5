"""The question as the user reads it: the worst first, nothing twice, and what can be done."""

from itertools import product
from pathlib import Path

import pytest

from execpolicy.commands.render.text import render
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Amendment
from execpolicy.model.wording import command, question

# What is worse stands above. Each command with what its first line says.
WORST_FIRST = (
    ("destroy", "rm -rf src", "`rm -rf src` removes files for good"),
    ("destroy", "git clean -fdx", "`git clean -fdx` removes files that git could not bring back"),
    (
        "destroy",
        "find . -delete",
        "`find . -delete` removes `.`",
    ),
    ("privilege", "sudo ls", "`sudo ls` runs a command as another user"),
    ("remote", "npm publish", "`npm publish` changes what others get from the registry"),
    ("remote", "gh pr merge 1", "`gh pr merge 1` changes what others see on GitHub"),
    ("credentials", "cat .env", "may hold a key, a password or a token"),
    ("control", "echo x > .envrc", "which decides what runs later"),
    ("system", "systemctl restart x", "`systemctl restart x` changes services"),
    ("execute", "make", "`make` runs the recipes of the makefile"),
    ("execute", "npm test", "`npm test` runs scripts of the project"),
    ("unknown", "frobnicate a", "`frobnicate a`: what `frobnicate` does is not known"),
    ("network", "curl https://x.example", "`curl https://x.example` reaches"),
    ("write", "touch a.txt", "`touch a.txt` writes `a.txt`"),
)
JOINED = ("{0} && {1}", "{1}; {0}", "if {1}; then {0}; fi")
PAIRS = [
    (worse, milder)
    for at, worse in enumerate(WORST_FIRST)
    for milder in WORST_FIRST[at + 1 :]
    if worse[0] != milder[0]
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine.load(rules=[], cwd=str(tmp_path_factory.mktemp("project")))


def asked(engine: Engine, text: str, cwd: str = "/srv/app") -> str:
    verdict = engine.decide(Request(text=text, cwd=cwd))
    assert verdict.decision is Decision.PROMPT, text
    return render(verdict)


@pytest.mark.parametrize(("effect", "text", "first"), WORST_FIRST)
def test_one_command(engine: Engine, effect: str, text: str, first: str) -> None:
    assert first in asked(engine, text).splitlines()[0]


@pytest.mark.parametrize(("pair", "joined"), list(product(PAIRS, JOINED))[::2])
def test_the_first_line_names_the_worst_effect(
    engine: Engine, pair: tuple[tuple[str, str, str], tuple[str, str, str]], joined: str
) -> None:
    (_, worse, first), (_, milder, _) = pair
    assert first in asked(engine, joined.format(worse, milder)).splitlines()[0]


def test_enough_pairs_are_tried() -> None:
    assert len(PAIRS) * len(JOINED) // 2 >= 100


@pytest.mark.parametrize(
    "text",
    ["rm -rf src && rm -rf src", "make && make", "git push; git push", "sudo rm a", "rm -rf a b c"],
)
def test_no_reason_is_given_twice(engine: Engine, text: str) -> None:
    lines = [line.partition(": ")[2] for line in asked(engine, text).splitlines()]
    assert len(lines) == len(set(lines))


def test_one_operation_is_one_line_whatever_many_rules_say(engine: Engine) -> None:
    text = render(engine.decide(Request(text="rm -rf /")))
    assert text.count("\n") == 1
    assert "disk" not in text


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ('rg "$x" .', '`"$x"` may be an option such as `--pre`; put `--` before it'),
        ("sort $f", "`$f` may be an option such as `--compress-program`; put `--` before it"),
        ('git log "$x"', '`"$x"` may be an option such as `--ext-diff`\n'),  # there it means paths
    ],
)
def test_a_word_that_may_be_an_option(engine: Engine, text: str, cure: str) -> None:
    assert cure in asked(engine, text) + "\n"


def test_the_place_of_a_persons_rule_is_shown_and_none_of_the_catalogue(tmp_path: Path) -> None:
    rules = tmp_path / "mine.rules"
    rules.write_text('\nprefix_rule(["git", "push"], "prompt", justification = "ask the team")\n')
    shown = asked(Engine.load(rules=[str(rules)]), "git push && make")
    assert shown.splitlines()[0] == "prompt: `git push`: ask the team"
    assert f"rule: {rules}:2" in shown
    assert "building.rules" not in shown


def test_the_way_to_allow_is_a_command(engine: Engine) -> None:
    assert "  to allow it: execpolicy amend -- npm test\n" in asked(engine, "npm test")
    amendment = Amendment(("npm",), "", below=True, argv=("npm", "run", "my build"))
    assert command(amendment) == "execpolicy amend --below -- npm run 'my build'"
    hidden = Amendment(("rm",), "", argv=("rm", "\x1b[2K\u202ea'b\\"))
    assert command(hidden) == r"execpolicy amend -- rm $'\x1b[2K\u202ea\'b\\'"
    odd = hidden.replace(argv=("rm", "\udcff\xad"))
    assert command(odd) == r"execpolicy amend -- rm $'\xff\u00ad'"


def test_lines_are_wrapped_below_their_text(engine: Engine) -> None:
    verdict = engine.decide(Request(text="make && npm publish && git clean -fdx"))
    lines = render(verdict, width=60).splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[1].startswith("        ")


def test_a_broken_file_is_named_with_its_line_and_the_next_command(tmp_path: Path) -> None:
    home = tmp_path / "a.rules"
    home.write_text('\n\nprefix_rule(["ls"], "allow"\n')
    from execpolicy.store.loader import load
    from execpolicy.store.sources.files import RulesFile

    floor = load([RulesFile("user", str(home), home.read_bytes())]).floor
    assert floor is not None
    assert f"`{home}:" in floor
    assert "`execpolicy layers` shows what is wrong" in floor


def test_what_a_model_reads_does_not_say_how_to_allow_it(engine: Engine) -> None:
    from execpolicy.hosts.payloads import words

    verdict = engine.decide(Request(text="npm test"))
    assert question(verdict).commands == ("execpolicy amend -- npm test",)
    assert "amend" in words.full_question(verdict)
    assert "amend" not in words.reason(verdict)
