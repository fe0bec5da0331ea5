"""The shipped rules stand in the form that `execpolicy fmt` gives them."""

from pathlib import Path

import pytest

from execpolicy.language.format.format import format_text
from execpolicy.language.format.statements import WIDTH

RULES = Path(__file__).parents[2] / "rules"
FILES = sorted(RULES.rglob("*.rules"))


def test_no_line_is_too_long() -> None:
    lines = [(path.name, line) for path in FILES for line in path.read_text().split("\n")]
    assert [(name, line) for name, line in lines if len(line) > WIDTH] == []


@pytest.mark.rest  # `.ci/run` calls `execpolicy fmt --check`
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(RULES)))
def test_a_shipped_file_is_canonical(path: Path) -> None:
    text = path.read_text()
    assert format_text(text) == text
