"""The keys of declarations that were compiled apart are those of all of them together."""

import pytest

from execpolicy import Engine
from execpolicy.policy.place_keys import joined, keys_of

RULES = Engine.load(rules=[]).snapshot.policy.places.rules


@pytest.mark.parametrize("at", [0, 1, len(RULES) // 2, len(RULES)])
def test_rows_that_follow_each_other_have_the_keys_of_all(at: int) -> None:
    assert joined([keys_of(RULES[:at]), keys_of(RULES[at:])]) == keys_of(RULES)


def test_joined_keys_leave_the_first_ones_as_they_were() -> None:
    first, same = keys_of(RULES), keys_of(RULES)
    joined([first, keys_of(RULES)])
    assert first == same
