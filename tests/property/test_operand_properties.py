"""The quick ways to lay operands on the items of a form find what looking at all ways finds."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.catalogue.grammar.kinds import picky
from execpolicy.catalogue.grammar.notation import MANY, MAYBE, ONE
from execpolicy.catalogue.reading.operands import _every, _likeliest, _settled, _straight
from execpolicy.model.operation import Dynamic, Word

KINDS: tuple[Any, ...] = (
    "text",
    "file",
    "number",
    "name",
    "assignment",
    ("{", ("a", "b"), ("-",), (), ()),
    ("{", (), (), (".c",), ("=",)),
    ("|", "number", "file"),
    ("!", ("{", ("a",), (), (), ()), ("write",)),
)
WORDS: tuple[Word, ...] = (
    *("a", "b", "5", "x=1", "-", "y.c", ""),
    Dynamic('"$x"', "", True),
    Dynamic("$x"),
    Dynamic("a*", "a"),
    Dynamic('"a$x"', "a", True),
    Dynamic('"$n"', "", True, True, True),
    Dynamic("$(git rev-parse HEAD)", "", False, True),
)
items = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from((ONE, MAYBE, MANY))), max_size=4)
laid = items.map(lambda parts: tuple((kind, mode, not picky(kind)) for kind, mode in parts))
operands = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)


@given(laid, operands)
def test_a_word_with_one_place_is_of_no_other_kind(
    items: tuple[tuple[Any, int, bool], ...], words: list[Word]
) -> None:
    settled = _settled(items, words)
    assert settled is None or settled == _every(items, words)


@given(laid, operands)
def test_words_laid_in_one_go_lie_as_the_likeliest_reading(
    items: tuple[tuple[Any, int, bool], ...], words: list[Word]
) -> None:
    kinds, certain = _straight(items, words, True)
    assert not certain or kinds == _likeliest(items, words)
