"""The light enum behaves as `enum.IntEnum` does, for all that the package uses of it."""

import copy
import enum
import json
import pickle

import pytest

from execpolicy.model.decision import Decision
from execpolicy.model.verdict import Source
from execpolicy.support.ordered_enum import OrderedEnum, StrEnum


class Light(OrderedEnum):
    LOW = 0
    HIGH = 7

    @property
    def word(self) -> str:
        return self.name.lower()

    @classmethod
    def high(cls) -> "Light":
        return cls(7)


class Real(enum.IntEnum):
    LOW = 0
    HIGH = 7


@pytest.mark.parametrize(
    "ask",
    [
        lambda e: [m.name for m in e],
        lambda e: [m.value for m in e],
        lambda e: len(e),
        lambda e: e(7).name,
        lambda e: e["HIGH"].value,
        lambda e: max(e.LOW, e.HIGH).name,
        lambda e: sorted([e.HIGH, e.LOW])[0].name,
        lambda e: e(0) is e.LOW,
        lambda e: e.HIGH == 7,
        lambda e: bool(e.LOW),
        lambda e: e.LOW in e,
        lambda e: isinstance(e.LOW, e),
        lambda e: {e.LOW: 1}[e(0)],
        lambda e: f"{e.HIGH}",
        lambda e: str(e.HIGH),
        lambda e: copy.copy(e.HIGH) is e.HIGH,
        lambda e: copy.deepcopy([e.HIGH])[0] is e.HIGH,
        lambda e: e.HIGH & 3,
    ],
)
def test_as_the_real_one(ask: "object") -> None:
    assert ask(Light) == ask(Real)  # type: ignore[operator]


def test_what_is_no_member() -> None:
    with pytest.raises(ValueError, match="8 is not a valid Light"):
        Light(8)
    with pytest.raises(KeyError):
        Light["MIDDLE"]
    with pytest.raises(AttributeError):
        Light.LOW = 1  # type: ignore[misc]


def test_members_have_what_the_class_gives_them() -> None:
    assert (Light.high().word, repr(Light.HIGH)) == ("high", "<Light.HIGH: 7>")
    assert pickle.loads(pickle.dumps(Decision.PROMPT)) is Decision.PROMPT  # noqa: S301


class Fruit(StrEnum):
    APPLE = "apple"
    PEAR = "pear"

    @property
    def plural(self) -> str:
        return f"{self}s"


class RealFruit(enum.StrEnum):
    APPLE = "apple"
    PEAR = "pear"

    @property
    def plural(self) -> str:
        return f"{self}s"


@pytest.mark.parametrize(
    "ask",
    [
        lambda e: [m.name for m in e],
        lambda e: [m.value for m in e],
        lambda e: len(e),
        lambda e: e("pear").name,
        lambda e: e("pear") is e.PEAR,
        lambda e: e.PEAR == "pear",
        lambda e: {e.PEAR: 1}["pear"],
        lambda e: f"{e.PEAR} {e.PEAR!s}",
        lambda e: e.PEAR.plural,
        lambda e: isinstance(e.PEAR, str),
        lambda e: json.dumps([e.PEAR]),
        lambda e: ",".join(e),
        lambda e: copy.copy(e.PEAR) is e.PEAR,
        lambda e: copy.deepcopy([e.PEAR])[0] is e.PEAR,
    ],
)
def test_words_as_the_real_ones(ask: "object") -> None:
    assert ask(Fruit) == ask(RealFruit)  # type: ignore[operator]


def test_words_that_are_no_member_and_members_that_stay() -> None:
    with pytest.raises(ValueError, match="'plum' is not a valid Fruit"):
        Fruit("plum")
    with pytest.raises(AttributeError, match="cannot reassign member `PEAR`"):
        Fruit.PEAR = Fruit.APPLE  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(Source.RULE)) is Source.RULE  # noqa: S301
