"""Who is meant is named: the user, the host, the attacker, the caller."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("execpolicy", "rules", "docs", "grammar")
ENDS = frozenset((".py", ".c", ".md", ".rules", ".words", ".toml", ".js", ".html"))
NO_ONE = re.compile(r"\b(?:nobody|somebody|anybody|whoever)\b", re.IGNORECASE)
USER_ID = re.compile(r"`nobody`")
"""The user of that name (passwd(5))."""


@pytest.mark.parametrize("source", SOURCES)
def test_a_text_names_who_is_meant(source: str) -> None:
    files = [path for path in sorted((ROOT / source).rglob("*")) if path.suffix in ENDS]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if NO_ONE.search(USER_ID.sub("", line))
    ]
    assert files
    assert found == []
