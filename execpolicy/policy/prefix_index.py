"""Finds the rules that could match an argv without looking at the others.

A trie of plain dictionaries: token → node, and under the key None the numbers of the rules whose
pattern ends there. Alternatives are several edges; where a pattern would need more than `MAX_PATHS`
nodes it is filed early, so a candidate is always verified by the rule itself.
"""

from execpolicy.model.operation import Dynamic, Word
from execpolicy.model.rule import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Node = dict[str | None, Any]

MAX_PATHS = 64


def insert(root: "Node", pattern: Pattern, number: int) -> None:
    """File rule `number` under `pattern`."""
    frontier = [root]
    for tokens in pattern:
        edges = dict.fromkeys(tokens)
        if len(frontier) * len(edges) > MAX_PATHS:
            break
        frontier = [node.setdefault(token, {}) for node in frontier for token in edges]
    for node in frontier:
        node.setdefault(None, []).append(number)


def candidates(root: "Node", argv: "Sequence[Word]") -> list[int]:
    """Numbers of the rules filed along the path of `argv`'s words, ascending."""
    found: list[int] = []
    node: Node | None = root
    for word in argv:
        node = node.get(word) if node and isinstance(word, str) else None
        if node is None:
            break
        found.extend(node.get(None, ()))
    found.sort()
    return found


def possible(root: "Node", argv: "Sequence[Word]") -> "Iterator[int]":
    """Numbers of the rules that could match if the dynamic words took some value."""
    for at, word in enumerate(argv):
        if isinstance(word, str):
            node = root.get(word)
            if node is None:
                return
            yield from node.get(None, ())
            root = node
            continue
        yield from _through(root, word, argv[at + 1 :])
        return
    return


def _through(node: "Node", word: Dynamic, rest: "Sequence[Word]") -> "Iterator[int]":
    """Rules below `node` that fit some value of a dynamic word followed by `rest`."""
    if not word.single:
        yield from _below(node)
        return
    for token, child in node.items():
        if token is not None and token.startswith(word.prefix):
            yield from child.get(None, ())
            yield from possible(child, rest)


def _below(node: "Node") -> "Iterator[int]":
    for token, child in node.items():
        if token is None:
            yield from child
        else:
            yield from _below(child)
