"""What a mutation may be: one place of a syntax tree, replaced on its line."""

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Change(NamedTuple):
    """A node, the text for its place, and what sort of change that is."""

    node: ast.expr | ast.stmt
    text: str
    kind: str


_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_SWAPPED = {"any": "all", "all": "any", "min": "max", "max": "min"}
_EMPTY = {"tuple": "()", "list": "[]", "set": "set()", "dict": "{}", "frozenset": "frozenset()"}


def changes(node: ast.AST) -> Iterator[Change]:
    """Every change of this node alone."""
    for sort, of in _OPERATORS.items():
        if isinstance(node, sort):
            yield from of(node)


def _compared(node: ast.Compare) -> Iterator[Change]:
    if len(node.ops) == 1:
        sign = _COMPARED[type(node.ops[0])]
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        yield Change(node, f"{left} {sign} {right}", "a comparison is another")


def _joined(node: ast.BoolOp) -> Iterator[Change]:
    sign = "or" if isinstance(node.op, ast.And) else "and"
    values = [_operand(value) for value in node.values]
    yield Change(node, f"({f' {sign} '.join(values)})", f"`{sign}` in its place")
    for number in range(len(values)):
        left = values[:number] + values[number + 1 :]
        here = " and " if sign == "or" else " or "
        yield Change(node, f"({here.join(left)})", "a condition is dropped")


def _operand(node: ast.expr) -> str:
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, ast.BoolOp | ast.IfExp | ast.NamedExpr) else text


def _negated(node: ast.UnaryOp) -> Iterator[Change]:
    if isinstance(node.op, ast.Not):
        yield Change(node, f"({ast.unparse(node.operand)})", "a negation is dropped")


def _condition(node: ast.If | ast.IfExp) -> Iterator[Change]:
    for text in ("True", "False"):
        yield Change(node.test, text, f"a condition is {text.lower()}")


def _constant(node: ast.Constant) -> Iterator[Change]:
    if isinstance(node.value, bool):
        yield Change(node, str(not node.value), "a truth is the other")
    elif isinstance(node.value, int):
        yield Change(node, str(node.value + 1), "a number is one more")
    elif isinstance(node.value, str) and node.value:
        yield Change(node, repr(f"{node.value}?"), "a text is another")


def _called(node: ast.Call) -> Iterator[Change]:
    if isinstance(node.func, ast.Name) and node.func.id in _SWAPPED:
        other = _SWAPPED[node.func.id]
        yield Change(node.func, other, f"`{other}` in its place")


def _ended(node: ast.Break | ast.Continue) -> Iterator[Change]:
    text = "continue" if isinstance(node, ast.Break) else "break"
    yield Change(node, text, f"`{text}` in its place")


def _computed(node: ast.BinOp) -> Iterator[Change]:
    numbers = [n for n in (node.left, node.right) if isinstance(n, ast.Constant)]
    if isinstance(node.op, ast.Add | ast.Sub) and any(type(n.value) is int for n in numbers):
        sign = "-" if isinstance(node.op, ast.Add) else "+"
        text = f"({ast.unparse(node.left)} {sign} {ast.unparse(node.right)})"
        yield Change(node, text, "a sign is the other")


def _function(node: ast.FunctionDef) -> Iterator[Change]:
    """Each value that is returned becomes the empty one, or the other truth."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Return) and inner.value is not None and node.returns is not None:
            yield from _returned(inner.value, ast.unparse(node.returns).strip("'"))


def _returned(value: ast.expr, annotation: str) -> Iterator[Change]:
    kind = "the empty value is returned"
    empty = _EMPTY.get(annotation.partition("[")[0])
    if annotation == "bool":
        for text in ("True", "False"):
            yield Change(value, text, f"it is always {text.lower()}")
    elif annotation == "str":
        yield Change(value, "''", kind)
    elif "None" in annotation:
        yield Change(value, "None", kind)
    elif empty is not None:
        yield Change(value, empty, kind)


_OPERATORS: dict[type[ast.AST], Callable[..., Iterator[Change]]] = {
    ast.Compare: _compared,
    ast.BoolOp: _joined,
    ast.UnaryOp: _negated,
    ast.If: _condition,
    ast.IfExp: _condition,
    ast.Constant: _constant,
    ast.Call: _called,
    ast.Break: _ended,
    ast.Continue: _ended,
    ast.BinOp: _computed,
    ast.FunctionDef: _function,
}
