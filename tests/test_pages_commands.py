"""Each command line that a page shows is one that execpolicy accepts.

What the lines of README.md and docs/tutorial.md print is held by `test_readme.py` and
`test_tutorial.py`.
"""

import contextlib
import re
import shlex
from itertools import takewhile
from pathlib import Path

import pytest

from execpolicy.commands import named
from execpolicy.commands.arguments import parse
from execpolicy.commands.exit_codes import HelpError

ROOT = Path(__file__).parents[1]
PAGES = (
    *("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "grammar/REFERENCE.md"),
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md"))),
)
TEMPLATES = ("docs/messages.md",)
"""Pages of texts that have signs for what stands in them."""
SHOWN = re.compile(r"`execpolicy ([^`]+)`|^\$ execpolicy (.+)$", re.MULTILINE)
STANDS_FOR = {"acme": "claude", "CODE": "dead", "COMMAND": "check", "HOST": "claude"}
"""What a page writes for a word that the reader chooses."""


def lines(page: str) -> list[str]:
    """What follows `execpolicy` in each command line."""
    return [short or long for short, long in SHOWN.findall((ROOT / page).read_text())]


def words(line: str) -> list[str]:
    """The words of a command line up to the operator of its shell."""
    tokens = shlex.shlex(line, posix=True, punctuation_chars="|&>")
    tokens.whitespace_split = True
    return [*takewhile(lambda token: token.strip("|&>"), tokens)]


ROWS = sorted({(page, line) for page in PAGES if page not in TEMPLATES for line in lines(page)})


@pytest.mark.parametrize(("page", "line"), ROWS)
def test_a_line_is_accepted(page: str, line: str) -> None:
    name, *given = [STANDS_FOR.get(word, word) for word in words(line) if word != "…"]
    with contextlib.suppress(HelpError):
        parse(named(name).syntax(), given)


def test_there_are_lines_to_try() -> None:
    assert len(ROWS) > 40
