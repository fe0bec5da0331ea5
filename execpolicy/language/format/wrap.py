"""Wraps string literals that are longer than a line: a sum of literals means the same."""

from collections.abc import Iterator

from execpolicy.language.syntax import strings
from execpolicy.language.syntax.tree import Leaf, Module, Node

_SUMS = frozenset(
    ("arguments", "assignment", "bare_tuple", "entry", "list", "named", "parenthesis")
)
"""What a sum may stand in without brackets around it, beside another sum."""
_NEVER = frozenset(("load_statement", "load_name", "fstring", "hole"))
_ENDS = " |,"
"""The characters after which a literal may be cut, the best first."""
MIN_PIECE = 40


def wrapped(module: Module, width: int) -> str | None:
    """The text of a formatted module with its long literals cut, to be formatted again.

    None where no line is longer than `width`, or nothing in it can be cut.
    """
    lines = module.text.split("\n")
    made, end = [], 0
    for leaf, bare in _literals(module):
        line = lines[leaf.line - 1]
        if len(line) <= width or leaf.text.endswith(('"""', "'''")):
            continue
        margin = len(line) - len(line.lstrip())
        cut = _cut(leaf.text, width - leaf.column - 1, width - margin - 10)
        if len(cut) > 1:
            text = " + ".join(cut)
            made += [module.text[end : leaf.start_pos], text if bare else f"({text})"]
            end = leaf.end_pos
    return "".join([*made, module.text[end:]]) if made else None


def _literals(module: Module) -> Iterator[tuple[Leaf, bool]]:
    """The string literals in order, and whether a sum in their place needs no brackets."""
    parents = {
        id(child): node
        for node in module.nodes
        for child in node.children
        if isinstance(child, Leaf) and child.type == "STRING"
    }
    for leaf in module.leaves:
        parent = parents.get(id(leaf))
        if leaf.type == "STRING" and parent is not None and parent.kind not in _NEVER:
            yield leaf, parent.kind in _SUMS or _is_sum(parent)


def _is_sum(node: Node) -> bool:
    sign = node.children[1] if node.kind == "operation" else None
    return isinstance(sign, Leaf) and sign.text == "+"


def _cut(literal: str, first: int, room: int) -> list[str]:
    """Literals that mean the same together: one of `first` characters, the others of `room`."""
    opening, inner, start = strings.split(literal)
    quotes = opening.lstrip("rb")
    pieces = []
    size = max(first - start - len(quotes), MIN_PIECE)
    while len(inner) > size:
        at = _end(inner, size)
        if not at:
            break
        pieces.append(inner[:at])
        inner = inner[at:]
        size = max(room - start - len(quotes), MIN_PIECE)
    return [f"{opening}{piece}{quotes}" for piece in (*pieces, inner)]


def _end(text: str, size: int) -> int:
    """Where the first piece ends, of at most `size` characters; 0 for nowhere."""
    for sign in _ENDS:
        at = text.rfind(sign, MIN_PIECE // 2, size - 1) + 1
        if at and text[at - 2 : at - 1] != "\\":
            return at
    return 0
