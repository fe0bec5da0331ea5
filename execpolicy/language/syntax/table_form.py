"""The form of the parser's tables: plain data, as lark made them and as the driver reads them."""

from typing import TypedDict

Rule = tuple[str, int, str, bool, list[int]]
"""The symbol that a rule makes, the number of those it is made of, the kind of node, whether
one child stands for itself, and which children give their own children instead."""


class Tables(TypedDict):
    """LALR(1). An action of 0 or more is the next state, `~n` is a reduction by rule `n`."""

    actions: list[dict[str, int]]
    rules: list[Rule]
    start: int
    end: int
    patterns: list[str]
    chosen: list[int]
    ignored: list[str]
