"""What bashlex says to a text depends on the text's structure, and on nothing else."""

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.shell.second_reader import bashlex_import, second_reader
from execpolicy.shell.second_reader.common_structures import common
from execpolicy.shell.second_reader.skeleton import skeletons
from execpolicy.shell.second_reader.structure import MAX_KEY, commands, structures
from execpolicy.shell.syntax.grammar import parse
from execpolicy.store.compiled.answers import Answers
from execpolicy.store.compiled.tables import KeptTables
from tests.examples import examples

TABLES = KeptTables("bashlex")


def by_bashlex(line: str) -> list[int] | None:
    """What bashlex says to the text itself."""
    second_reader.prepare(TABLES)
    try:
        trees = sys.modules["bashlex"].parse(line)
    except Exception:
        return None
    return [len(node.parts) for node in commands(trees)]


def keys(line: str) -> list[str] | None:
    found = structures(line)
    return None if found is None else [one.key for one in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("w w w", ["w"]),
        ("w w | w ; w && w w w", ["w"]),
        ("w ; for w in w w w ; do w w ; w done", None),
        ("w ; for w in w w w ; do w w ; w w ; done", ["w", "for w in w ; do w ; done"]),
        ("w \n ( w w ) | w w", ["w", "( w ) | w"]),
        ("w | w w | while w w ; do w ; done", ["w | while w ; do w ; done"]),
        ("w ( ) { w w w ; }", ["w ( ) { w ; }"]),
        ("w ; w ( ) { w w w ; }", ["w", "w ( ) { w ; }"]),
        ("w w ( ) { w ; }", None),
        ("w ( ) \n { w ; }", ["w ( ) \n { w ; }"]),
        ("w && \n { w ; }", ["w && \n { w ; }"]),
        ("( w ) & ( w )", ["( w )", "( w )"]),
        ("( w ) ; ( w ) ;", ["( w )", "( w )"]),
        ("( w ) ; ; ( w )", None),
        ("; ( w )", None),
        ("w if w", None),
        ("if w if ; then w ; fi", None),
        ("for w w in w ; do w ; done", None),
        ("w ) ( w", None),
        ("w  w", None),
        ("! ;", None),
        ("", None),
        ("( w ) " * MAX_KEY, None),
    ],
)
def test_the_structures_of_a_skeleton(line: str, expected: list[str] | None) -> None:
    assert keys(line) == expected


@pytest.mark.parametrize(
    ("text", "skeleton"),
    [
        ("if a; then echo fi done; fi", "if w ; then w fi done ; fi"),
        ("( x=1 do a 'do' d\\o )", "( w do w )"),
        ("{ if=1 for; }", "{ w for ; }"),
        ("( a 'do' $do )", "( w w w )"),
    ],
)
def test_of_the_words_only_reserved_ones_are_shown(text: str, skeleton: str) -> None:
    assert [each.text for each in skeletons(parse(text, "bash").inside)] == [skeleton]


TOKENS = st.sampled_from(
    ["w"] * 4
    + [*";;&|!(){}", "&&", "||", "for", "in", "do", "done", "while", "until", "if", "then"]
    + ["elif", "else", "fi", "time"]
    + ["\n"]
)


def runs(numbers: random.Random) -> str:
    return " ".join(["w"] * numbers.randint(1, 3))


FORMS = (
    *("for w in R ; do L ; done", "for w ; do L ; done", "while L ; do L ; done", "( L )"),
    *("until L ; do L ; done", "if L ; then L ; fi", "if L ; then L ; else L ; fi", "{ L ; }"),
    *("if L ; then L ; elif L ; then L ; fi", "w ( ) { L ; }", "w ( ) ( L )", "{ w ; { L ; } ; }"),
)


def written(numbers: random.Random, depth: int) -> str:
    """A list as the grammar writes it down."""
    commands = []
    for _ in range(numbers.randint(1, 3)):
        if depth and numbers.random() < 0.4:
            form = numbers.choice(FORMS).replace("R", runs(numbers))
            command = "".join(written(numbers, depth - 1) if c == "L" else c for c in form)
        else:
            command = ("! " if numbers.random() < 0.1 else "") + runs(numbers)
        commands += [command, numbers.choice([" ; ", " ; ", " | ", " && ", " || ", " & ", " \n "])]
    return "".join(commands[:-1])


def mutated(numbers: random.Random, line: str) -> str:
    """The list with a token less, more or another."""
    tokens = line.split(" ")
    for _ in range(numbers.randint(0, 2)):
        at = numbers.randrange(len(tokens) or 1)
        other = [numbers.choice(tokens or ["w"])] * numbers.randint(0, 2)
        tokens[at : at + numbers.randint(0, 1)] = other
    return " ".join(tokens).strip("\n ")


def agrees(line: str) -> None:
    if structures(line) is not None:
        assert second_reader.found(line) == by_bashlex(line), line


@given(st.lists(TOKENS, min_size=1, max_size=14))
@examples(400)
def test_random_tokens_are_read_as_their_structure(tokens: list[str]) -> None:
    agrees(" ".join(tokens).strip("\n "))


@given(st.integers(0, 2**32), st.integers(0, 3), st.booleans())
@examples(400)
def test_random_scripts_are_read_as_their_structure(seed: int, depth: int, broken: bool) -> None:
    numbers = random.Random(seed)  # noqa: S311
    line = written(numbers, depth)
    agrees(mutated(numbers, line) if broken else line)


@pytest.mark.slow
def test_many_random_scripts_are_read_as_their_structure() -> None:
    for seed in range(20_000):
        numbers = random.Random(seed)  # noqa: S311
        line = written(numbers, seed % 4)
        agrees(mutated(numbers, line) if seed % 2 else line)


@pytest.mark.parametrize(
    "line", ["if w ; then w ; fi", "if w ; then w ; else w ; fi", "while w ; do w ; done", "( w )"]
)
def test_what_agents_write_is_among_the_common_structures(line: str) -> None:
    assert {line, f"{line} | w", f"w && {line}", f"for w in w ; do {line} ; done"} <= {*common()}


def test_each_common_structure_is_one_that_bashlex_reads() -> None:
    every = list(common())
    assert len(every) < 8000
    some = every[::50]
    assert [key for key, answer in second_reader.answers(some) if answer is None] == []
    assert [key for key in every if keys(key) != [key]] == []


class Nothing:
    """Tables that know no answer, and note what they learn."""

    def __init__(self) -> None:
        self.learned: dict[str, tuple[int, ...] | None] = {}

    def load(self, stamp: str) -> object:
        return TABLES.load(stamp)

    def save(self, stamp: str, tables: object) -> None:
        TABLES.save(stamp, tables)

    def answer(self, key: str) -> tuple[tuple[int, ...] | None] | None:
        return (self.learned[key],) if key in self.learned else None

    def learn(self, key: str, answer: tuple[tuple[int, ...] | None]) -> None:
        (self.learned[key],) = answer


def test_an_answer_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = Nothing()
    assert second_reader.found("for w in w w ; do w w w ; w ; done", tables) == [3, 1]
    assert tables.learned == {"for w in w ; do w ; done": (2,)}
    monkeypatch.setattr(second_reader, "_trees", lambda *_: pytest.fail("asked again"))
    assert second_reader.found("for w in w ; do w w ; done", tables) == [2]
    tables.learned["for w in w ; do w ; done"] = None
    assert second_reader.found("for w in w ; do w w ; done", tables) is None


def test_a_refusal_is_an_answer() -> None:
    tables = Nothing()
    assert second_reader.found("for w in w ; do ; done", tables) is None
    assert tables.learned == {"for w in w ; do ; done": None}


@pytest.mark.parametrize("error", [ImportError, MemoryError, RecursionError])
def test_a_reader_that_cannot_be_asked_gives_no_answer_to_keep(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(_: object) -> None:
        raise error

    tables = Nothing()
    monkeypatch.setattr(bashlex_import, "parser", fail)
    assert second_reader.found("for w in w ; do w ; done", tables) is None
    assert tables.learned == {}


def test_answers_are_kept_for_later_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    answers = Answers()
    assert answers.get("( w ) | ( w ) | ( w )") is None
    answers.learn("( w ) | ( w ) | ( w )", (0, 1, 2))
    assert Answers().get("( w ) | ( w ) | ( w )") == ((0, 1, 2),)
