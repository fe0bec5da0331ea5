"""The tables are kept as plain data, and made anew where what was kept is none."""

import sys
from pathlib import Path
from typing import Any

import pytest

from execpolicy.language.syntax import parser, tables
from execpolicy.language.syntax.syntax import parse
from tests.examples import sampled

TEXT = 'x = [f(["a"], *b) for b in c]  # why\nif x:\n    g("é")\n'
ROOT = Path(__file__).parents[2]


class Memory:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.kept: dict[str, object] = {}

    def load(self, stamp: str) -> object:
        return self.kept.get(stamp)

    def save(self, stamp: str, tables: object) -> None:
        self.kept[stamp] = tables


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No driver was made yet."""
    monkeypatch.setattr(tables, "_made", [])


def test_what_is_kept_is_plain_data() -> None:
    memory = Memory()
    tables.driver(memory)
    assert memory.kept
    assert odd(list(memory.kept.values())) == []


def odd(value: object) -> list[object]:
    """What is in a value that neither marshal nor JSON can write."""
    if isinstance(value, dict):
        return [*odd(list(value)), *odd(list(value.values()))]
    if isinstance(value, list | tuple):
        return [each for item in value for each in odd(item)]
    return [] if value is None or type(value) in (str, int, bool, float) else [value]


def test_kept_tables_need_no_lark(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory()
    tables.driver(memory)
    made = parse(TEXT)
    monkeypatch.setattr(tables, "_made", [])
    monkeypatch.setitem(sys.modules, "execpolicy.language.syntax.parser", None)
    tables.driver(memory)
    again = parse(TEXT)
    assert again.rebuild() == TEXT
    assert repr(again.root) == repr(made.root)


@pytest.mark.parametrize("damaged", [(), {}, {"actions": []}, "text", None])
def test_what_are_no_tables_is_replaced(damaged: object) -> None:
    memory = Memory()
    tables.driver(memory)
    (stamp,) = memory.kept
    memory.kept[stamp] = damaged
    tables._made.clear()
    tables.driver(memory)
    assert parse(TEXT).rebuild() == TEXT
    assert memory.kept[stamp] != damaged


@sampled(5)
def test_the_shipped_rules_are_read_as_lark_reads_them(step: int) -> None:
    shipped = sorted(ROOT.glob("rules/**/*.rules*"))[::step]
    assert shipped
    for path in shipped:
        text = "\n" + path.read_text()
        assert repr(tables.driver().parse(text)) == repr(parser.parser().parse(text)), path


def test_a_rule_that_leaves_out_a_token_is_refused() -> None:
    """A tree without every token could not be written back."""
    made: Any = parser
    rule = next(r for r in made.parser().rules if len(r.expansion) > 1)
    callback = made.Filter([(0, False)], made.parser().parser.parser.parser.callbacks[rule])
    with pytest.raises(ValueError, match="leaves out a token"):
        made._rule(rule, callback)
