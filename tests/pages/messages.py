"""The page of all messages: `python -m tests.pages.messages` writes it from the code."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.pages.files import ROOT, files

PAGE = ROOT / "docs" / "messages.md"
HEAD = """# Messages

Each text of the package that is a sentence or a part of one, with the files where it is written,
and those that quote it: another wording changes them all. `…` is what the code puts there. The
reasons of programs stand in `rules/`, with the program.
This page is written by `python -m tests.pages.messages`.

| text | written in | quoted in |
|---|---|---|
"""
SHORTEST = 3
"""The words of a text that is listed."""
GRAM = 3
"""The words by which a quotation is looked for before its text is compared."""
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
TEXTS = (".py", ".md", ".txt", ".json", ".jsonl", ".toml", ".rules", ".rules_test", ".html", ".js")
_WORD = re.compile(r"[A-Za-z]{2,}")


def page() -> str:
    """The whole page."""
    written: defaultdict[str, set[str]] = defaultdict(set)
    for file in files():
        if file.suffix == ".py" and file.is_relative_to(ROOT / "execpolicy"):
            for text in messages(file):
                written[text].add(str(file.relative_to(ROOT)))
    rows = sorted(written.items(), key=lambda row: (row[0].strip("…` ").lower(), row[0]))
    return HEAD + "".join(_row(text, names) for text, names in rows)


def messages(file: Path) -> Iterator[str]:
    """The texts of a module that are more than a name; its docstrings are none."""
    tree = ast.parse(file.read_text())
    left_out = {
        id(part)
        for node in ast.walk(tree)
        for part in (node.values if isinstance(node, ast.JoinedStr) else _docstring(node))
    }
    for node in ast.walk(tree):
        text = "" if id(node) in left_out else _text(node)
        if " " in text.strip() and len(_WORD.findall(text)) >= SHORTEST:
            yield " ".join(text.split())


def _docstring(node: ast.AST) -> list[ast.expr]:
    return [node.value] if isinstance(node, ast.Expr) else []


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    return "".join(_text(part) or "…" for part in parts)


def _row(text: str, names: set[str]) -> str:
    shown = text.replace("|", "\\|").replace("<", "&lt;")
    return f"| {shown} | {_paths(names)} | {_paths(_quoting(text) - names)} |\n"


def _paths(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _quoting(text: str) -> set[str]:
    """The files that have the longest part of a text that nothing is put into."""
    part = " ".join(max(text.split("…"), key=len).split())
    words = _WORD.findall(part)
    grams = [tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)]
    if not grams:
        return set()
    likely = min((_index()[gram] for gram in grams), key=len)
    return {name for name in likely if part in _texts()[name]}


@cache
def _texts() -> dict[str, str]:
    """The texts that may quote one, by their names, with plain blanks."""
    others = [ROOT / name for name in PAGES] + sorted((ROOT / "docs").glob("*.md"))
    every = {*files(), *others} - {PAGE, ROOT / "docs" / "files.md"}
    given = {str(file.relative_to(ROOT)): file for file in every if file.suffix in TEXTS}
    return {name: " ".join(file.read_text().split()) for name, file in given.items()}


@cache
def _index() -> defaultdict[tuple[str, ...], set[str]]:
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, text in _texts().items():
        words = _WORD.findall(text)
        for at in range(len(words) - GRAM + 1):
            found[tuple(words[at : at + GRAM])].add(name)
    return found


if __name__ == "__main__":
    PAGE.write_text(page())
