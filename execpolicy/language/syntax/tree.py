"""The concrete syntax tree of a rules file: every token, comment and blank, each at its place."""

from collections.abc import Iterator

from execpolicy.model.errors import Span
from execpolicy.support.record import Value


class Leaf:
    """A token of the terminal `type`. `before` is the text between the token before it and itself:
    blanks, comments, line ends and continuations.

    The end of a logical line (`_NL`) and the steps of indentation (`_INDENT`, `_DEDENT`) are leaves
    without text. Lines and columns count from 1, offsets from 0, all in characters.
    """

    __slots__ = (
        "before",
        "column",
        "end_column",
        "end_line",
        "end_pos",
        "line",
        "start_pos",
        "text",
        "type",
    )

    def __init__(self, kind: str, text: str, start: int, line: int, column: int) -> None:
        self.type = kind
        self.text = text
        self.start_pos = start
        self.end_pos = start + len(text)
        self.line = line
        self.column = column
        self.end_line = line
        self.end_column = column + len(text)
        self.before = ""

    def __repr__(self) -> str:
        return f"Leaf({self.type}, {self.text!r}, {self.line}:{self.column})"


class Node:
    """What a rule of the grammar matched. `kind` is the rule's name."""

    __slots__ = ("children", "kind")

    def __init__(self, kind: str, children: "list[Tree]") -> None:
        self.kind = str(kind)
        self.children = children

    def __repr__(self) -> str:
        return f"Node({self.kind}, {self.children!r})"


Tree = Node | Leaf


class Comment(Value):
    """A comment with its `#`. `trailing` says that code stands before it on its line."""

    text: str
    line: int
    column: int
    trailing: bool


class Module:
    """One parsed file. `leaves` are its tokens in order; `tail` is the text after the last one.
    `nodes` are all that the rules of the grammar matched, each before what is in it."""

    __slots__ = ("file", "leaves", "nodes", "root", "tail", "text")

    def __init__(self, text: str, file: str, root: Node) -> None:
        self.text = text
        self.file = file
        self.root = root
        self.nodes, every = _walk(root)
        self.leaves = tuple(leaf for leaf in every if leaf.text)
        end = 0
        for leaf in self.leaves:
            leaf.before = text[end : leaf.start_pos]
            end = leaf.end_pos
        self.tail = text[end:]

    def rebuild(self) -> str:
        """The text of the file, put together from the tree."""
        return "".join(leaf.before + leaf.text for leaf in self.leaves) + self.tail

    def comments(self) -> Iterator[Comment]:
        """Every comment, in order."""
        line, column = 1, 1
        for leaf in self.leaves:
            if "#" in leaf.before:
                yield from comments(leaf.before, line, column)
            line, column = leaf.end_line, leaf.end_column
        yield from comments(self.tail, line, column)

    def span(self, tree: Tree) -> Span:
        """The place of a part. Of a part over several lines, the columns of its first line."""
        start, end = first(tree), last(tree)
        column = end.end_column
        if end.end_line != start.line:
            stop = self.text.find("\n", start.start_pos)
            column = start.column + stop - start.start_pos
        return Span(self.file, start.line, start.column, column)

    def source(self, tree: Tree) -> str:
        """The text of a part, as written."""
        return self.text[first(tree).start_pos : last(tree).end_pos]


def comments(gap: str, line: int, column: int) -> Iterator[Comment]:
    """The comments in the text between two tokens, which begins at `line` and `column`."""
    for number, text in enumerate(gap.split("\n")):
        start = text.find("#")
        if start >= 0:
            trailing = number == 0 and column > 1
            shift = column if number == 0 else 1
            yield Comment(text[start:].rstrip("\r"), line + number, start + shift, trailing)


def _walk(tree: Tree) -> tuple[list[Node], list[Leaf]]:
    """The nodes and the leaves of a tree in the order of the text, however deep it is."""
    nodes: list[Node] = []
    leaves: list[Leaf] = []
    stack: list[Tree] = [tree]
    while stack:
        top = stack.pop()
        if isinstance(top, Leaf):
            leaves.append(top)
        else:
            nodes.append(top)
            stack += top.children[::-1]
    return nodes, leaves


def leaves(tree: Tree) -> list[Leaf]:
    """The leaves of a tree in order."""
    return [tree] if isinstance(tree, Leaf) else _walk(tree)[1]


def nodes(tree: Tree) -> list[Node]:
    """The nodes of a tree, each before what is in it, in the order of the text."""
    return [] if isinstance(tree, Leaf) else _walk(tree)[0]


def first(tree: Tree) -> Leaf:
    """The first leaf of a part that has any."""
    while isinstance(tree, Node):
        tree = tree.children[0]
    return tree


def last(tree: Tree) -> Leaf:
    """The last leaf of a part that has any."""
    while isinstance(tree, Node):
        tree = tree.children[-1]
    return tree


def parts(node: Node, *kinds: str) -> list[Node]:
    """The direct children of these kinds."""
    return [c for c in node.children if isinstance(c, Node) and c.kind in kinds]
