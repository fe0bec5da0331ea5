"""Values are frozen, compare by type and fields, and are made the same way the hundredth time."""

import copy
import pickle

import pytest

from execpolicy.model.errors import Diagnostic, Span, printable
from execpolicy.model.rule import Origin
from execpolicy.support.record import COMPILE_AFTER, Value


class Pair(Value):
    left: int
    right: tuple[int, ...] = ()


class Other(Value):
    left: int
    right: tuple[int, ...] = ()


class Empty(Value):
    pass


def test_equality_is_by_type_and_fields() -> None:
    assert Pair(1) == Pair(1, ()) == Pair(left=1, right=())
    assert Pair(1) != Pair(2)
    assert Pair(1) != Other(1)
    assert len({Pair(1), Pair(1), Other(1), Empty(), Empty()}) == 3


@pytest.mark.parametrize("times", [1, COMPILE_AFTER + 2])
def test_made_the_same_before_and_after_the_constructor_is_compiled(times: int) -> None:
    class Fresh(Value):
        a: int
        b: str = "x"

    for n in range(times):
        made = Fresh(n, b="y")
        assert (made.a, made.b, Fresh(n).b) == (n, "y", "x")
        assert made.replace(a=-1) == Fresh(-1, "y") != made
        with pytest.raises(AttributeError, match="frozen"):
            made.a = 3  # type: ignore[misc]
    for arguments in ((), (1, "b", 3)):
        with pytest.raises(TypeError):
            Fresh(*arguments)
    with pytest.raises(TypeError):
        Fresh(1, c=2)  # type: ignore[call-arg]


def test_frozen() -> None:
    value = Pair(1)
    with pytest.raises(AttributeError, match="`Pair` is frozen: cannot set `left`"):
        value.left = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot delete `left`"):
        del value.left
    assert not hasattr(value, "__dict__")


def test_replace_copy_and_show() -> None:
    value = Pair(1, (2,))
    assert value.replace(left=3) == Pair(3, (2,))
    assert repr(value) == "Pair(left=1, right=(2,))"
    assert copy.copy(value) == value
    assert pickle.loads(pickle.dumps(Origin("user", "a", 1))) == Origin("user", "a", 1)  # noqa: S301


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\nb\tc", r"a\nb\tc"),
        ("\x1b[2K", r"\x1b[2K"),
        ("\u202e\u2066", r"\u202e\u2066"),
        ("a\u200bb", r"a\u200bb"),
        ("\u3164\ufe0f\U000e0100", r"\u3164\ufe0f\U000e0100"),
        ("\udcff", r"\udcff"),
        ("é 中文 🙂", "é 中文 🙂"),
    ],
)
def test_what_could_fool_a_reader_is_shown_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_long_text_shows_its_head_and_its_tail() -> None:
    shown = printable("a" * 100 + "b" * 100, 20)
    assert shown == "aaaaaaaaaa … bbbbbbbb"


def test_a_place_is_as_exact_as_it_is_known() -> None:
    assert [str(s) for s in (Span("f"), Span("f", 3), Span("f", 3, 5))] == ["f", "f:3", "f:3:5"]
    bare = Diagnostic("x", "wrong", Span("f"))
    assert bare.render() == "f: error[x]: wrong"
