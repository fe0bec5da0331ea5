"""The numbers that are written down under a name: limits, times, sizes, counts."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

_DEFINED = re.compile(r"^#define ([A-Z_]+) (\d+)(?: +/\* (.*?)\s*\*/)?$", re.M)
_PARTS = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


def numbers(file: Path) -> Iterator[tuple[str, str, str]]:
    """The name of each constant of a module, or of a file of C, that is a number, how it is
    written, and what is said of it."""
    if file.suffix in (".c", ".h"):
        yield from _DEFINED.findall(file.read_text())
        return
    body = ast.parse(file.read_text()).body
    for node, after in pairwise((*body, ast.Pass())):
        for name, value in named_values(node):
            if name.isupper() and _is_number(value):
                yield name, ast.unparse(value), _docstring(after)


def named_values(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement gives to values: one, or `FIRST, LAST = 1, 2`."""
    if isinstance(node, ast.Assign):
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Name):
            yield target.id, value
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from zip(map(ast.unparse, target.elts), value.elts, strict=False)


def _is_number(value: ast.expr) -> bool:
    every = [*ast.walk(value)]
    constants = [each.value for each in every if isinstance(each, ast.Constant)]
    plain = all(isinstance(each, _PARTS) for each in every)
    return plain and all(type(each) in (int, float) for each in constants)


def _docstring(node: ast.stmt) -> str:
    value = node.value if isinstance(node, ast.Expr) else None
    text = value.value if isinstance(value, ast.Constant) else ""
    return " ".join(text.split()) if isinstance(text, str) else ""
