"""What counts as shown whole, and what as marked as cut."""

import pytest

from tests.shown import is_what_was_printed


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("", "", True),
        ("a b", "a b", True),
        ("a …", "a b c", True),
        ("… c", "a b c", True),
        ("a … c …", "a b c d e", True),
        ("a …", "a", False),
        ("", "a", False),
        ("a", "", False),
        ("a", "a b", False),
        ("b", "a b", False),
        ("a c", "a b c", False),
        ("b …", "a b c", False),
        ("a … d", "a b c", False),
    ],
)
def test_lines(shown: str, printed: str, same: bool) -> None:
    assert is_what_was_printed(shown.split(), printed.split()) is same
