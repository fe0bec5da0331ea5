"""Docstrings as they are written: the modules of a start are kept without them."""

import ast
import inspect
import textwrap


def documented(value: object) -> bool:
    """Whether a class or a function has a docstring in its source."""
    assert inspect.isclass(value) or inspect.isfunction(value)
    (found,) = ast.parse(textwrap.dedent(inspect.getsource(value))).body
    assert isinstance(found, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
    return bool(ast.get_docstring(found))
