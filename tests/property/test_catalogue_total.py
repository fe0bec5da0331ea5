"""Every argv and every script text has a reading, soon."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.catalogue import read
from execpolicy.catalogue.kinds.names import EFFECTS_OF
from execpolicy.catalogue.scripts.causes import causes_of
from execpolicy.catalogue.scripts.effect import Effect
from execpolicy.model.operation import Dynamic
from execpolicy.model.program import EFFECTS
from tests.catalogue.build import one
from tests.catalogue.shipped import everything
from tests.growth import MAX_LINEAR, growth

PATHS = everything()[0].paths()
_PIECES = ("-", "--", "=", "+", ";", "{}", "/", ":", "::", "@", "'", '"', "\\", "\n", "[", "a", "²")

texts = st.lists(st.sampled_from(_PIECES), max_size=6).map("".join) | st.text(max_size=6)
dynamics = st.builds(Dynamic, texts, texts, st.booleans())
SCRIPTS = ("sed", "awk", "jq", "sql")
_HOSTILE = (
    "[",
    "(",
    "{",
    "'",
    "\\",
    "> ",
    "getline ",
    "s/[",
    "/[",
    "[:",
    "a[",
    "--",
    "-- ",
    ";",
    "|",
)


@given(st.sampled_from(PATHS), st.lists(texts | dynamics, max_size=6))
def test_every_argv_has_a_reading(path: str, words: list[str | Dynamic]) -> None:
    reading = read((*path.replace("{version}", "3").split(), *words), everything()[0])
    assert {cause.effect for cause in reading.effects} <= {*EFFECTS}


@given(st.lists(texts | dynamics, min_size=1, max_size=3))
def test_every_program_has_a_reading(words: list[str | Dynamic]) -> None:
    assert read(tuple(words), everything()[0]).path


@given(st.sampled_from(sorted(EFFECTS_OF)), texts | dynamics)
def test_every_word_can_be_of_every_kind(kind: str, word: str | Dynamic) -> None:
    if not kind.startswith("command;"):
        reading = read(("p", "--", word), one("", kind))
        assert {cause.effect for cause in reading.effects} <= {*EFFECTS}


@given(st.sampled_from(SCRIPTS), st.text() | st.text("sy/[]\\{};\n'\"$@|><ew "))
def test_every_script_has_effects(kind: str, text: str) -> None:
    assert {e.effect for e in causes_of(kind, text) if isinstance(e, Effect)} <= {*EFFECTS}


@pytest.mark.parametrize(
    ("kind", "begin"), [*((kind, "") for kind in SCRIPTS), ("awk", "print "), ("sql", "select ")]
)
@pytest.mark.parametrize("piece", _HOSTILE)
def test_a_hostile_script_takes_no_time(kind: str, piece: str, begin: str) -> None:
    def effects(size: int) -> object:
        return causes_of(kind, begin + piece * (size // len(piece)))

    assert growth(effects, 4_750) < MAX_LINEAR


@pytest.mark.parametrize("path", ["git log", "find", "xargs", "cp", "env", "sed", "tar"])
@pytest.mark.parametrize(
    "word", ["a", "-", "-x", "--", "A=b", "{}", Dynamic("$x"), Dynamic("a$x", "a")]
)
def test_many_words_take_no_time(path: str, word: str | Dynamic) -> None:
    def reading(size: int) -> object:
        return read((*path.split(), *[word] * size), everything()[0])

    reading(1)
    assert growth(reading, 1_000) < MAX_LINEAR
