"""The numbers that are written down under a name: limits, times, sizes, counts."""

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

_PARTS = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


def numbers(file: Path) -> Iterator[tuple[str, str, str]]:
    """The name of each constant of a module that is a number, how it is written, and what is said
    of it."""
    body = ast.parse(file.read_text()).body
    for node, after in pairwise((*body, ast.Pass())):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        name = node.targets[0].id
        if name.isupper() and _is_number(node.value):
            yield name, ast.unparse(node.value), _docstring(after)


def _is_number(value: ast.expr) -> bool:
    every = [*ast.walk(value)]
    constants = [each.value for each in every if isinstance(each, ast.Constant)]
    plain = all(isinstance(each, _PARTS) for each in every)
    return plain and all(type(each) in (int, float) for each in constants)


def _docstring(node: ast.stmt) -> str:
    value = node.value if isinstance(node, ast.Expr) else None
    text = value.value if isinstance(value, ast.Constant) else ""
    return " ".join(text.split()) if isinstance(text, str) else ""
