"""The shipped rules stand in the form that `execpolicy fmt` gives them."""

from pathlib import Path

import pytest

from execpolicy.language.format.format import format_text
from execpolicy.language.format.statements import WIDTH

RULES = Path(__file__).parents[2] / "rules"
FILES = sorted(RULES.rglob("*.rules"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(RULES)))
def test_a_shipped_file_is_canonical(path: Path) -> None:
    text = path.read_text()
    assert [line for line in text.split("\n") if len(line) > WIDTH] == []
    assert format_text(text) == text
