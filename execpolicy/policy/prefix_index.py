"""Finds the rules that could match an argv without looking at the others.

A trie of plain tuples and dictionaries: a node holds the numbers of the rules whose pattern ends
there, and its edges, token → node. Alternatives are several edges; where a pattern would need more
than `MAX_PATHS` nodes it is filed early, so a candidate is always verified by the rule itself.
"""

from execpolicy.model.operation import Dynamic, Word
from execpolicy.model.rule import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Protocol

    Node = tuple[list[int], "Trie"]
    Trie = dict[str, Node]

    class Edges(Protocol):
        """The edges of a node; those of the root may be read from a file."""

        def get(self, token: str, /) -> Node | None:
            """The node below an edge."""

        def items(self) -> Iterable[tuple[str, Node]]:
            """Every edge."""

        def __contains__(self, token: object, /) -> bool: ...


MAX_PATHS = 64


def insert(root: "Trie", pattern: Pattern, number: int) -> None:
    """File rule `number` under `pattern`, which has at least one position."""
    frontier = [root]
    ends: list[Node] = []
    for tokens in pattern:
        edges = dict.fromkeys(tokens)
        if ends and len(frontier) * len(edges) > MAX_PATHS:
            break
        ends = [trie.setdefault(token, ([], {})) for trie in frontier for token in edges]
        frontier = [below for _, below in ends]
    for numbers, _ in ends:
        numbers.append(number)


def candidates(root: "Edges", argv: "Sequence[Word]") -> list[int]:
    """Numbers of the rules filed along the path of `argv`'s words, ascending."""
    found: list[int] = []
    edges = root
    for word in argv:
        node = edges.get(word) if isinstance(word, str) else None
        if node is None:
            break
        numbers, edges = node
        found += numbers
    found.sort()
    return found


def possible(root: "Edges", argv: "Sequence[Word]") -> "Iterator[int]":
    """Numbers of the rules that could match if the dynamic words took some value."""
    edges = root
    for at, word in enumerate(argv):
        if not isinstance(word, str):
            yield from _through(edges, word, argv[at + 1 :])
            return
        node = edges.get(word)
        if node is None:
            return
        numbers, edges = node
        yield from numbers


def _through(edges: "Edges", word: Dynamic, rest: "Sequence[Word]") -> "Iterator[int]":
    """Rules below that fit some value of a dynamic word followed by `rest`."""
    if not word.single:
        yield from _below(edges)
        return
    for token, (numbers, below) in edges.items():
        if token.startswith(word.prefix):
            yield from numbers
            yield from possible(below, rest)


def _below(edges: "Edges") -> "Iterator[int]":
    for _, (numbers, below) in edges.items():
        yield from numbers
        yield from _below(below)
