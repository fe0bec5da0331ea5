"""Lays out statements: one a line, blocks by four blanks, comments and blank lines between them."""

from collections.abc import Sequence

from execpolicy.language.format.document import INDENT, Concat, Document, print_document
from execpolicy.language.format.expressions import Expressions
from execpolicy.language.syntax.tree import Leaf, Module, Node, Tree, first, parts

WIDTH = 120


class StatementLines:
    """Lines that belong together: a comment, a simple statement, or the head of a block.

    `blank` is the number of blank lines above it in the source, `kind` one of `comment`,
    `statement`, `def` and `clause`.
    """

    __slots__ = ("blank", "kind", "level", "text")

    def __init__(self, kind: str, level: int, text: str, blank: int) -> None:
        self.kind = kind
        self.level = level
        self.text = text
        self.blank = blank


class Statements:
    """Turns the statements of a module into `entries`."""

    def __init__(self, module: Module) -> None:
        self.expressions = Expressions(module)
        self.entries: list[StatementLines] = []
        # Where the blocks around the statement before stand in the source, outer first.
        self._margins: list[int] = []
        self._block(module.root.children, 0)
        self._comments(module.tail.split("\n"), 0)

    def _block(self, statements: Sequence[Tree], level: int) -> None:
        for node in statements:
            if isinstance(node, Node):
                blank = self._gap(first(node), level)
                if node.kind == "line":
                    self._line(node, level, blank)
                else:
                    self._compound(node, level, blank)

    def _line(self, line: Node, level: int, blank: int) -> None:
        """The statements of one line, each on a line of its own."""
        for small in line.children:
            if isinstance(small, Node) or small.type not in ("SEMICOLON", "_NL"):
                self._add("statement", level, blank, self._simple(small))
                blank = 0

    def _compound(self, node: Node, level: int, blank: int) -> None:
        suite = parts(node, "suite")[0]
        head = node.children[: node.children.index(suite)]
        kind = "def" if node.kind == "def_statement" else "statement"
        self._add(kind, level, blank, self._head(head))
        self._suite(suite, level + 1)
        for clause in parts(node, "elif_clause", "else_clause"):
            self._gap(first(clause), level)
            self._add("clause", level, 0, self._head(clause.children[:-1]))
            self._suite(parts(clause, "suite")[0], level + 1)

    def _suite(self, suite: Node, level: int) -> None:
        only = suite.children[0]
        if isinstance(only, Node):
            self._line(only, level, 0)
        else:
            self._block(suite.children, level)

    def _gap(self, leaf: Leaf, level: int) -> int:
        """Adds the comments before a statement. Returns the number of blank lines above it."""
        self.expressions.brackets.take(leaf)
        lines = leaf.before.split("\n")
        blank = self._comments(lines[:-1] if len(lines) > 1 else lines, level)
        del self._margins[level:]
        self._margins.append(leaf.column - 1)
        return blank

    def _comments(self, lines: list[str], level: int) -> int:
        """Adds comments, the first as the remark of the line before. Returns the blank lines below.

        After a block, a comment belongs to it as long as it is indented like it.
        """
        at = max(level, len(self._margins) - 1)
        blank = 0
        for number, line in enumerate(lines):
            text = line.strip()
            if not text.startswith("#"):
                blank += number > 0 and not text
            elif number == 0 and self.entries:
                self.entries[-1].text += "  " + text
            else:
                while at > level and self._margins[at] > line.index("#"):
                    at -= 1
                self.entries.append(StatementLines("comment", at, text, blank))
                blank = 0
        return blank

    def _add(self, kind: str, level: int, blank: int, document: Document) -> None:
        text = print_document(document, level * INDENT, WIDTH)
        self.entries.append(StatementLines(kind, level, text, blank))

    def _head(self, children: Sequence[Tree]) -> Document:
        """The line that opens a block."""
        if first(children[0]).text == "def":
            return self._def(children)
        build = self.expressions
        *words, colon = children
        texts: list[Document] = []
        for tree in words:
            made = build.value(tree) if tree is words[-1] else build.build(tree)
            texts += [" ", made] if texts else [made]
        return Concat([*texts, build.build(colon)])

    def _def(self, children: Sequence[Tree]) -> Document:
        word, name, open_, *rest = children
        build = self.expressions
        listed = rest[0].children if isinstance(rest[0], Node) else []
        close, *types = rest[1:-1] if listed else rest[:-1]
        texts = [build.build(word), " ", build.build(name)]
        texts.append(build.brackets.bracketed(first(open_), listed, first(close)))
        for tree in types:
            texts += [" ", build.build(tree)]
        return Concat([*texts, build.build(rest[-1])])

    def _simple(self, tree: Tree) -> Document:
        """A statement that is not a block."""
        build = self.expressions
        if not isinstance(tree, Node) or tree.kind not in _SIMPLE:
            return build.value(tree)
        if tree.kind == "load_statement":
            word, open_, *listed, close = tree.children
            brackets = build.brackets.bracketed(first(open_), listed, first(close))
            return Concat([build.build(word), brackets])
        *left, value = tree.children
        texts: list[Document] = []
        for part in left:
            typed = isinstance(part, Node) and part.kind == "annotation"
            texts += [" ", build.build(part)] if texts and not typed else [build.build(part)]
        return Concat([*texts, " ", build.value(value)] if texts else [build.build(value)])


_SIMPLE = frozenset(
    (
        *("assignment", "return_statement", "load_statement"),
        *("break_statement", "continue_statement", "pass_statement"),
    )
)


def arranged(entries: list[StatementLines]) -> str:
    """The text of the entries, with the blank lines between them that belong there.

    Around a top-level `def` there are two, around another one. Elsewhere those of the source stay,
    up to that number, but none begins a block.
    """
    for before, entry in zip([None, *entries], entries, strict=False):
        most = 1 if entry.level else 2
        first_of_block = before is None or before.level < entry.level
        entry.blank = 0 if first_of_block or entry.kind == "clause" else min(entry.blank, most)
    _space_functions(entries)
    return "".join(_lines(entry) for entry in entries)


def _space_functions(entries: list[StatementLines]) -> None:
    """Sets the blank lines before a `def`, or the comments that stand right above it, and after."""
    functions: list[int] = []
    for number, entry in enumerate(entries):
        space = 1 if entry.level else 2
        while functions and functions[-1] > entry.level:
            functions.pop()
        if functions and functions[-1] == entry.level and entry.kind != "clause":
            functions.pop()
            entry.blank = space
        if entry.kind == "def":
            functions.append(entry.level)
            top = _top_of(entries, number)
            if top and entries[top - 1].level >= entry.level:
                entries[top].blank = space


def _top_of(entries: list[StatementLines], number: int) -> int:
    """The first of the comments that stand right above an entry, or the entry itself."""
    level = entries[number].level
    while number and entries[number].blank == 0:
        above = entries[number - 1]
        if above.kind != "comment" or above.level != level:
            break
        number -= 1
    return number


def _lines(entry: StatementLines) -> str:
    return "\n" * entry.blank + " " * (entry.level * INDENT) + entry.text + "\n"
