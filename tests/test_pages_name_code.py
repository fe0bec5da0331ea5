"""ARCHITECTURE.md and CONTRIBUTING.md name files and functions that are there."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMED = re.compile(r"`((?:[\w.]+/)*[\w.]+(?:\.py|\.rules|/))(?::(\w+))?`")
BASES = (ROOT, ROOT / "execpolicy", *(p for p in (ROOT / "execpolicy").rglob("syntax")))
TOYS = ("acme", "read_only", "justification", "releases", "shipit", "showit")


def named(page: str) -> list[tuple[str, str]]:
    """Every file or folder in backquotes, with the function after a colon."""
    found = dict.fromkeys(NAMED.findall((ROOT / page).read_text()))
    return [(path, name) for path, name in found if not any(toy in path for toy in TOYS)]


PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md")
ROWS = [(page, *each) for page in PAGES for each in named(page)]


@pytest.mark.parametrize(("page", "path", "name"), ROWS)
def test_what_a_page_names_is_there(page: str, path: str, name: str) -> None:
    file = next((base / path for base in BASES if (base / path).exists()), None)
    assert file is not None, f"{page} names {path}"
    if name:
        assert name in defined(file), f"{page} names {name} in {path}"


@functools.cache
def defined(file: Path) -> set[str]:
    """The functions and classes of a file."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {n.name for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, kinds)}


def test_the_architecture_stays_short() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 280
    assert len(ROWS) > 100
