"""The light enum behaves as `enum.IntEnum` does, for all that the package uses of it."""

import copy
import enum
import pickle

import pytest

from execpolicy.model.decision import Decision
from execpolicy.support.ordered_enum import OrderedEnum


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
        Light.LOW = 1


def test_members_have_what_the_class_gives_them() -> None:
    assert (Light.high().word, repr(Light.HIGH)) == ("high", "<Light.HIGH: 7>")
    assert pickle.loads(pickle.dumps(Decision.PROMPT)) is Decision.PROMPT  # noqa: S301
