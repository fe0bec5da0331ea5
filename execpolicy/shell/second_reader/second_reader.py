"""A second opinion on the structure of a script, from bashlex.

bashlex reads the skeleton of the parser's tree; if it finds other commands than the parser did, the
text counts as not understood. Importing bashlex takes longer than everything else together, so only
texts with compound commands are checked this way.
"""

from execpolicy.shell.second_reader.skeleton import skeletons
from execpolicy.shell.second_reader.structure import commands, runs, structures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Protocol

    from execpolicy.shell.second_reader.bashlex_import import KeptTables
    from execpolicy.shell.second_reader.structure import Answer, BashlexNode
    from execpolicy.shell.syntax.tree import Node

    class Tables(KeptTables, Protocol):
        """A place that keeps bashlex's tables, and what bashlex said to structures."""

        def answer(self, key: str) -> tuple[Answer] | None:
            """What bashlex said to a structure; None for one that was never asked about."""

        def learn(self, key: str, answer: tuple[Answer]) -> None:
            """Keep what bashlex said to a structure."""


def agrees(nodes: "list[Node]", tables: "Tables | None" = None) -> bool:
    """Whether bashlex finds in each list of a tree the same commands with as many words."""
    for skeleton in skeletons(nodes):
        if skeleton.shapes and found(skeleton.text, tables) != skeleton.shapes:
            return False
    return True


def found(line: str, tables: "Tables | None" = None) -> list[int] | None:
    """The number of words of each simple command in a skeleton; None where bashlex refuses it.

    What bashlex said to a structure before is not asked again.
    """
    shapes: list[int] = []
    for one in structures(line) or ():
        answer = _answer(one.key, tables)
        if answer is None:
            break
        (places,) = answer
        if places is None:
            return None
        shapes += one.shapes(places)
    else:
        if shapes:
            return shapes
    try:
        trees = _trees(line, tables)
    except (ImportError, MemoryError, RecursionError):
        return None
    return None if trees is None else [len(node.parts) for node in commands(trees)]


def _answer(key: str, tables: "Tables | None") -> "tuple[Answer] | None":
    """What bashlex says to a structure, from where that is kept.

    Where it cannot be asked, that is not an answer to keep: the next process may be able to.
    """
    answer = None if tables is None else tables.answer(key)
    if answer is None:
        try:
            answer = bashlex_answer(key, tables)
        except (ImportError, MemoryError, RecursionError):
            return (None,)
        if answer is not None and tables is not None:
            tables.learn(key, answer)
    return answer


def bashlex_answer(key: str, tables: "Tables | None") -> "tuple[Answer] | None":
    """What bashlex says to a structure; None where its answer is not about the runs of words.

    Raises `ImportError`, `MemoryError` or `RecursionError` where it cannot be asked.
    """
    trees = _trees(key, tables)
    if trees is None:
        return (None,)
    answer = runs(key, trees)
    return None if answer is None else (answer,)


def answers(keys: "Iterable[str]") -> "Iterator[tuple[str, Answer]]":
    """What bashlex says to each structure, of texts that are structures."""
    for key in keys:
        known = bashlex_answer(key, None)
        if known is not None:
            yield key, known[0]


def _trees(text: str, tables: "Tables | None") -> "list[BashlexNode] | None":
    from execpolicy.shell.second_reader import bashlex_import

    try:
        return bashlex_import.parser(tables)(text)
    except (ImportError, MemoryError, RecursionError):
        raise
    except Exception:  # bashlex raises whatever its tables and assertions come across
        return None


def prepare(tables: "Tables") -> None:
    """Have the tables made, or loaded. Nothing where bashlex has its own already."""
    from execpolicy.shell.second_reader import bashlex_import

    bashlex_import.parser(tables)
