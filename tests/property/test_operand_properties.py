"""The quick ways to lay operands on the items of a form find what looking at all ways finds."""

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.catalogue.form import Operand
from execpolicy.catalogue.kinds.kind import Kind, Literals, OneOf, WithEffects, restrictive
from execpolicy.catalogue.reading.operands import straight
from execpolicy.catalogue.reading.possible_kinds import every, likeliest, settled
from execpolicy.model.operation import Dynamic, Word

KINDS: tuple[Kind, ...] = (
    "text",
    "file",
    "number",
    "name",
    "assignment",
    Literals(frozenset(("a", "b")), ("-",)),
    Literals(tails=(".c",), middles=("=",)),
    OneOf(("number", "file")),
    WithEffects(Literals(frozenset("a")), ("write",)),
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
slots = st.builds(
    lambda kind, required, repeats: Operand(
        kind, required, repeats and not required, not restrictive(kind)
    ),
    st.sampled_from(KINDS),
    st.booleans(),
    st.booleans(),
)
laid = st.lists(slots, max_size=4).map(tuple)
operands = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)


@given(laid, operands)
def test_a_word_with_one_place_is_of_no_other_kind(
    slots: tuple[Operand, ...], words: list[Word]
) -> None:
    found = settled(slots, words)
    assert found is None or found == every(slots, words)


@given(laid, operands)
def test_words_laid_in_one_go_lie_as_the_likeliest_reading(
    slots: tuple[Operand, ...], words: list[Word]
) -> None:
    kinds, certain = straight(slots, words, variable=True)
    assert not certain or kinds == likeliest(slots, words)
