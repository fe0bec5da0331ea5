"""Which files import a module: what else to read, and to run, where it changes."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = 12
"""The files that are named; of more only how many they are."""


def users(file: Path) -> str:
    """The files that import a module."""
    found = sorted(_users().get(file, ()))
    if len(found) > MOST:
        return f"{len(found)} files"
    return ", ".join(f"`{path}`" for path in found)


@cache
def _users() -> dict[Path, set[str]]:
    modules = {_name(file): file for file in (ROOT / "execpolicy").rglob("*.py")}
    found: defaultdict[Path, set[str]] = defaultdict(set)
    for folder in ("execpolicy", "tests", "benchmarks"):
        for file in (ROOT / folder).rglob("*.py"):
            for name in _imported(file) & modules.keys():
                found[modules[name]].add(str(file.relative_to(ROOT)))
    return found


def _name(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imported(file: Path) -> set[str]:
    return {name for node in ast.walk(ast.parse(file.read_text())) for name in _names(node)}


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{each.name}" for each in node.names)
