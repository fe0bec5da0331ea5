"""A Python text as the tree that the interpreter itself makes of it; nothing of it is run."""

import re
import warnings
from _ast import AST, Module
from _collections_abc import Iterator

_ONLY_AST = 0x400
"""`ast.PyCF_ONLY_AST`, without importing `ast`."""
_NAME = "<a text of Python>"
warnings.filterwarnings("ignore", module=re.escape(_NAME))
_MAX_CHARS = 20_000
_MAX_BRACKETS = 40
_MAX_OF_A_KIND = 60
_PREFIXES = re.compile(r"(?:(?:[-+~*]|\bnot\b|\bawait\b)[\s\\]*){8}")
_RIGHT = re.compile(r"\*\*|\blambda\b")
"""What takes all that stands to its right, so that each is deeper than the one before."""


class UnreadError(Exception):
    """A text of which it is not known what it does."""


def parsed(text: str) -> Module:
    """The tree of a text. Raises `UnreadError` for one that is no Python, or that is too deep.

    How deep the parser goes is bounded before: a text can end the interpreter by it, the sooner the
    smaller the stack of its thread is (library/ast.html#ast.parse).
    """
    if len(text) > _MAX_CHARS or "\0" in text or _too_deep(text):
        raise UnreadError
    try:
        tree = compile(text, _NAME, "exec", _ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        raise UnreadError from None
    if not isinstance(tree, Module):
        raise UnreadError
    return tree


def _too_deep(text: str) -> bool:
    """Whether brackets and operators may be nested more than a small stack holds."""
    depth = deepest = 0
    for char in text:
        if char in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in ")]}":
            depth = max(depth - 1, 0)
    many = max(len(_RIGHT.findall(text)), text.count("elif "), text.count(" else ") // 4)
    return deepest > _MAX_BRACKETS or many > _MAX_OF_A_KIND or bool(_PREFIXES.search(text))


def parts(node: AST) -> Iterator[AST]:
    """The nodes right below one, in their order."""
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, AST):
            yield value
        elif isinstance(value, list):
            yield from (each for each in value if isinstance(each, AST))


def walk(node: AST) -> Iterator[AST]:
    """A node and all below it."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(parts(node))
