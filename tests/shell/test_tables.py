"""bashlex's tables are kept between processes; what is kept changes nothing but the time."""

import subprocess
import sys
from typing import Any

import pytest

from tests.waiting import HANG_SECONDS

PROGRAM = """
import sys
from tests.shell.reading import read
class Tables:
    def load(self, stamp):
        return {kept}
    def save(self, stamp, tables):
        print("made", len(tables))
    def answer(self, key):
        return None
    def learn(self, key, answer):
        return None
texts = ["for f in a b; do wc -l $f; done", "if x; then y | z; fi; (a && b)", "while a; do b; done"]
print([read(text, "bash", Tables()) for text in texts])
"""


def answer(kept: str) -> list[str]:
    """What a fresh process reads with these tables."""
    program = PROGRAM.format(kept=kept).encode()
    command = [sys.executable, "-"]
    done = subprocess.run(
        command, input=program, capture_output=True, timeout=HANG_SECONDS, check=True
    )
    return done.stdout.decode().splitlines()


@pytest.fixture(scope="module")
def fresh() -> list[str]:
    return answer("None")


def test_tables_are_made_and_offered_once(fresh: list[str]) -> None:
    assert fresh[0] == "made 4"
    assert len(fresh) == 2


@pytest.mark.parametrize(
    "kept",
    [
        *("()", "({}, {}, [])", "({}, 1, [], {})", "({1: 2}, {}, [], {})", "({}, {}, 1, {})"),
        *("({}, {}, [], 1)", "'noise'", "[{}, {}, [], {}]"),
    ],
)
def test_what_is_no_table_is_made_again(kept: str, fresh: list[str]) -> None:
    assert answer(kept) == fresh


def test_kept_tables_read_the_same(fresh: list[str]) -> None:
    kept: dict[str, Any] = {}

    class Tables:
        def load(self, stamp: str) -> object:
            return None

        def save(self, stamp: str, tables: Any) -> None:
            kept[stamp] = tables

        def answer(self, key: str) -> None:
            return None

        def learn(self, key: str, answer: object) -> None:
            return None

    from execpolicy.shell.second_reader import second_reader
    from execpolicy.shell.syntax.grammar import parse

    before = {n: sys.modules.pop(n) for n in list(sys.modules) if n.split(".")[0] == "bashlex"}
    try:
        second_reader.agrees(parse("a b", None).inside, Tables())
    finally:
        sys.modules.update(before)
    (tables,) = kept.values()
    assert answer(repr(tables)) == fresh[1:]
