"""The pages are held to the program: what they name exists, and what exists is named."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = tuple(sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md")))
PAGES = (
    *("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "grammar/REFERENCE.md"),
    *DOCS,
)
BLOCK = re.compile(r"^ *(`{3,})(\S*)[^\n]*\n(.*?)^ *\1$", re.MULTILINE | re.DOTALL)


def text_of(page: str) -> str:
    """A page as it is written."""
    return (ROOT / page).read_text()


def prose(page: str) -> str:
    """A page without its blocks of code."""
    return BLOCK.sub("", text_of(page))


def blocks(page: str, language: str) -> list[str]:
    """The blocks of code in a language."""
    return [code for _, name, code in BLOCK.findall(text_of(page)) if name == language]


def code_spans(page: str) -> list[str]:
    """What stands in backquotes, outside of blocks."""
    return re.findall(r"`([^`\n]+)`", prose(page))
