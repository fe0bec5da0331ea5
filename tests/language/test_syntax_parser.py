"""The parser's tables are kept as plain data, and made anew where what was kept is none."""

import pytest

from execpolicy.language import syntax_parser
from execpolicy.language.syntax import parse

TEXT = 'x = [f(["a"], *b) for b in c]  # why\nif x:\n    g("é")\n'


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
    """No parser was made yet."""
    monkeypatch.setattr(syntax_parser, "_made", [])


def test_what_is_kept_is_plain_data() -> None:
    memory = Memory()
    syntax_parser.parser(memory)
    assert odd(list(memory.kept.values())) == []


def odd(value: object) -> list[object]:
    """What is in a value that neither marshal nor JSON can write."""
    if isinstance(value, dict):
        return [*odd(list(value)), *odd(list(value.values()))]
    if isinstance(value, list | tuple):
        return [each for item in value for each in odd(item)]
    return [] if value is None or type(value) in (str, int, bool, float) else [value]


def test_kept_tables_make_the_same_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory()
    syntax_parser.parser(memory)
    made = parse(TEXT)
    monkeypatch.setattr(syntax_parser, "_made", [])
    monkeypatch.setattr(syntax_parser, "_make", lambda: pytest.fail("made anew"))
    syntax_parser.parser(memory)
    again = parse(TEXT)
    assert again.rebuild() == TEXT
    assert repr(again.root) == repr(made.root)


@pytest.mark.parametrize("tables", [(), ({}, {}), (1, 2), "text", ({"parser": {}}, {"0": {}})])
def test_what_are_no_tables_is_replaced(tables: object) -> None:
    memory = Memory()
    syntax_parser.parser(memory)
    (stamp,) = memory.kept
    memory.kept[stamp] = tables
    syntax_parser._made.clear()
    syntax_parser.parser(memory)
    assert parse(TEXT).rebuild() == TEXT
    assert memory.kept[stamp] != tables
