"""A second opinion on the structure of a script, from bashlex.

The grammar writes down what it read as a skeleton: every word a `w`, reserved words and operators
as they stood, substitutions as lists of their own. bashlex reads the skeleton; if it finds other
commands than the grammar did, the text counts as not understood. Importing bashlex takes longer
than everything else together, so only texts with compound commands are checked this way.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def agrees(levels: list[tuple[list[str], list[int]]]) -> bool:
    """Whether bashlex finds in each list the same commands with as many words."""
    lines = [(" ".join(out), shapes) for out, shapes in levels if shapes]
    text = "\n".join(line.strip("\n ") for line, _ in lines)
    try:
        found = _shapes(_parser()(text))
    except Exception:  # bashlex raises whatever its tables and assertions come across
        return False
    return found == [shape for _, shapes in lines for shape in shapes]


def _parser() -> "Any":
    """The one place that imports bashlex; it builds its tables on import."""
    import bashlex.parser

    return bashlex.parser.parse


def _shapes(trees: "list[Any]") -> list[int]:
    """The number of words of each simple command, in the order of the text."""
    shapes = []
    waiting = list(reversed(trees))
    while waiting:
        node = waiting.pop()
        if node.kind == "command":
            shapes.append(len(node.parts))
        elif node.kind == "function":
            waiting.append(node.body)
        else:
            inner = getattr(node, "list", None) or getattr(node, "parts", None) or []
            waiting += reversed(inner)
    return shapes
