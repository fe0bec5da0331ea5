"""The page of all values: `python -m tests.pages.values` writes it from the code."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.pages.files import ROOT, files

PAGE = ROOT / "docs" / "values.md"
HEAD = """# Values

Each record and each protocol of the package, with its fields, or its functions, and the files that
make it, take it apart or hand it on. A new field goes the way of those beside it: from the file
that makes the value through the files in the last column.
This page is written by `python -m tests.pages.values`.

| value | in | what it is | its fields | who has it |
|---|---|---|---|---|
"""
BASES = frozenset(("Value", "Protocol", "NamedTuple", "TypedDict"))
MOST = 25
"""The files that are named; of more only how many they are."""


def page() -> str:
    """The whole page."""
    rows = (row for file in _modules() for row in _rows(file))
    return HEAD + "".join(sorted(rows, key=str.lower))


def _rows(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ClassDef) and any(map(_is_base, node.bases)):
            said = (ast.get_docstring(node) or "").partition("\n\n")[0].replace("\n", " ")
            fields = ", ".join(f"`{name}`" for name in _fields(node))
            where = f"`{file.relative_to(ROOT)}`"
            said, users = said.replace("|", "\\|"), _users(node.name, file)
            yield f"| `{node.name}` | {where} | {said} | {fields} | {users} |\n"


def _is_base(base: ast.expr) -> bool:
    return isinstance(base, ast.Name) and base.id in BASES


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """The fields; of a protocol without any its functions."""
    fields = [each.target for each in node.body if isinstance(each, ast.AnnAssign)]
    functions = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
    yield from map(ast.unparse, fields) if fields else functions


def _users(name: str, own: Path) -> str:
    """The other files of the package that name it."""
    module = ".".join(own.relative_to(ROOT).with_suffix("").parts)
    found = sorted(_naming()[f"{module}.{name}"])
    return f"{len(found)} files" if len(found) > MOST else ", ".join(f"`{each}`" for each in found)


@cache
def _naming() -> defaultdict[str, set[str]]:
    """The files that import a name of a module, or use it by the module's own."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for file in _modules():
        tree, path = ast.parse(file.read_text()), str(file.relative_to(ROOT))
        used = _attributes(tree)
        for name, own in _imported(tree):
            for each in (name, *(f"{name}.{attribute}" for attribute in used[own])):
                found[each].add(path)
    return found


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What a file imports, and its name there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((f"{node.module}.{n.name}", n.asname or n.name) for n in node.names)


def _attributes(tree: ast.Module) -> defaultdict[str, set[str]]:
    """The attributes of each name in a file."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found[node.value.id].add(node.attr)
    return found


def _modules() -> list[Path]:
    return [f for f in files() if f.suffix == ".py" and f.is_relative_to(ROOT / "execpolicy")]


if __name__ == "__main__":
    PAGE.write_text(page())
