"""The page of all messages: `python -m tests.pages.messages` writes it from the code."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.pages.files import ROOT, files
from tests.pages.numbers import named_values

PAGE = ROOT / "docs" / "messages.md"
HEAD = """# Messages

Each text of the package that is a sentence or a part of one, with the files where it is written,
and those that quote it or a part of it: another wording may change them all. `…` is what the code
puts there. The reasons of programs stand in `rules/`, with the program.
This page is written by `python -m tests.pages.messages`.

| text | written in | quoted in |
|---|---|---|
"""
SHORTEST = 3
"""The words of a text that is listed."""
GRAM = 3
"""The words by which a quotation is looked for before its text is compared."""
PART, SHORT, MOST = 2, 8, 4
"""The words and letters of a part of a text that a test holds, and of how many texts it may be."""
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
TEXTS = (".py", ".md", ".txt", ".json", ".jsonl", ".toml", ".rules", ".rules_test", ".html", ".js")
_WORD = re.compile(r"[A-Za-z]{2,}")


def page() -> str:
    """The whole page."""
    written: defaultdict[str, set[str]] = defaultdict(set)
    for file in _modules():
        for text in messages(file):
            written[text].add(str(file.relative_to(ROOT)))
    rows = sorted(written.items(), key=lambda row: (row[0].strip("…` ").lower(), row[0]))
    return HEAD + "".join(_row(text, names) for text, names in rows)


def messages(file: Path) -> Iterator[str]:
    """The texts of a module that are more than a name; its docstrings are none."""
    tree = ast.parse(file.read_text())
    named = _imported(tree) | constants(tree)
    left_out = {
        id(part)
        for node in ast.walk(tree)
        for part in (node.values if isinstance(node, ast.JoinedStr) else _docstring(node))
    }
    for node in ast.walk(tree):
        text = "" if id(node) in left_out else _text(node, named)
        if " " in text.strip() and len(_WORD.findall(text)) >= SHORTEST:
            yield " ".join(text.split())


def _docstring(node: ast.AST) -> list[ast.expr]:
    return [node.value] if isinstance(node, ast.Expr) else []


def _text(node: ast.AST, named: dict[str, str]) -> str:
    """A text, with the constants that it names in their places."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.FormattedValue):
        return named.get(ast.unparse(node.value), "")
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    return "".join(_text(part, named) or "…" for part in parts)


def constants(tree: ast.Module) -> dict[str, str]:
    """The texts that have a name in a module: `WHY = "…"`, `YES, NO = "…", "…"`."""
    pairs = (pair for node in tree.body for pair in named_values(node))
    return {
        name: value.value
        for name, value in pairs
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
    }


def _imported(tree: ast.Module) -> dict[str, str]:
    """The texts of other modules of the package by the names that a module has for them."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("execpolicy"):
            continue
        for alias in node.names:
            own = alias.asname or alias.name
            found |= {f"{own}.{n}": v for n, v in _of(f"{node.module}.{alias.name}").items()}
            if alias.name in (known := _of(str(node.module))):
                found[own] = known[alias.name]
    return found


@cache
def _of(module: str) -> dict[str, str]:
    file = ROOT / f"{module.replace('.', '/')}.py"
    return constants(ast.parse(file.read_text())) if file.exists() else {}


def _row(text: str, names: set[str]) -> str:
    shown = text.replace("|", "\\|").replace("<", "&lt;")
    quoting = _quoting(text) | _held().get(text, set())
    return f"| {shown} | {_paths(names)} | {_paths(quoting - names)} |\n"


def _paths(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _quoting(text: str) -> set[str]:
    """The files that have the longest part of a text that nothing is put into."""
    part = " ".join(max(text.split("…"), key=len).split())
    grams = _grams(part, GRAM)
    if not grams:
        return set()
    likely = min((_index()[gram] for gram in grams), key=len)
    return {name for name in likely if part in _texts()[name]}


def _grams(text: str, size: int) -> list[tuple[str, ...]]:
    words = _WORD.findall(text)
    return [tuple(words[at : at + size]) for at in range(len(words) - size + 1)]


@cache
def _held() -> dict[str, set[str]]:
    """The tests that hold a part of a text, by the texts."""
    by_gram: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for text in {text for file in _modules() for text in messages(file)}:
        for gram in _grams(text, PART):
            by_gram[gram].add(text)
    found: defaultdict[str, set[str]] = defaultdict(set)
    for test in (ROOT / "tests").rglob("*.py"):
        name = str(test.relative_to(ROOT))
        for part in _strings(test):
            grams = _grams(part, PART)
            likely = min((by_gram[gram] for gram in grams), key=len) if grams else set()
            holding = [text for text in likely if part in text]
            for text in holding if len(holding) <= MOST else ():
                found[text].add(name)
    return found


def _strings(test: Path) -> Iterator[str]:
    nodes = ast.walk(ast.parse(test.read_text()))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant))
    return (text.strip() for text in texts if isinstance(text, str) and len(text) >= SHORT)


def _modules() -> list[Path]:
    return [f for f in files() if f.suffix == ".py" and f.is_relative_to(ROOT / "execpolicy")]


@cache
def _texts() -> dict[str, str]:
    """The texts that may quote one, by their names, with plain blanks."""
    others = [ROOT / name for name in PAGES] + sorted((ROOT / "docs").glob("*.md"))
    generated = (PAGE, *(ROOT / "docs" / name for name in ("files.md", "values.md")))
    every = {*files(), *others}.difference(generated)
    given = {str(file.relative_to(ROOT)): file for file in every if file.suffix in TEXTS}
    return {name: " ".join(file.read_text().split()) for name, file in given.items()}


@cache
def _index() -> defaultdict[tuple[str, ...], set[str]]:
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, text in _texts().items():
        for gram in _grams(text, GRAM):
            found[gram].add(name)
    return found


if __name__ == "__main__":
    PAGE.write_text(page())
