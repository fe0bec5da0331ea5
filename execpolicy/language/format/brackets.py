"""Documents for elements between brackets, and the place of comments among them.

Comments can stand wherever a line may end, that is anywhere inside brackets. A comment at the end
of an element's line stays there. One on lines of its own stays above the element that follows. One
inside an element, where no line will end, moves above the element.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from execpolicy.language.format import strings
from execpolicy.language.format.document import (
    BLANK,
    HARD,
    LINE,
    SOFT,
    Document,
    Fill,
    Group,
    IfBroken,
    Indent,
    Suffix,
    Word,
)
from execpolicy.language.syntax.tree import Comment, Leaf, Module, Tree, comments, first


class Row:
    """An element between brackets: comments above it, itself, a comment after it.

    `blank` says that a blank line stood above it.
    """

    __slots__ = ("above", "blank", "document", "suffix")

    def __init__(self, above: list[str], document: Document, blank: bool) -> None:
        self.above = above
        self.document = document
        self.blank = blank
        self.suffix: str | None = None


class Brackets:
    """Builds documents for what is in brackets. `build` knows how the elements look.

    `above` collects the comments of the element that is being built, `depth` counts the brackets
    around it.
    """

    def __init__(self, module: Module, build: Callable[[Tree], Document]) -> None:
        self._build = build
        self.depth = 0
        self.above: list[str] = []
        self._pending = _comments(module)

    def leaf(self, leaf: Leaf) -> str:
        """A token. Comments before it go above the element that it is in."""
        if self._pending:
            self.above.extend(comment.text for comment in self.take(leaf))
        return strings.literal(leaf)

    def take(self, leaf: Leaf) -> list[Comment]:
        """The comments before a token, which the caller will place."""
        return self._pending.pop(leaf.start_pos, [])

    def bracketed(
        self, open_: Leaf, inner: Sequence[Tree], close: Leaf, comma: str | None = None
    ) -> Document:
        """Elements in brackets, on one line or each on its own.

        `comma` is what follows the last element in both cases; None is a comma only in lines of its
        own. There, a comma after the last element asks for such lines.
        """
        asked = comma is None and bool(inner) and is_comma(inner[-1])
        if comma is None and open_.text == "[" and self._fills(inner, close, asked):
            return self._filled(open_, inner, close, asked)
        opening = self.leaf(open_)
        self.depth += 1
        rows, start, end = self._rows(inner, close)
        self.depth -= 1
        parts = _row_parts(rows, comma)
        for text in end:
            parts += [HARD, text] if parts else [text]
        if not parts and start is None:
            return opening + close.text
        body: list[Document] = [Indent([SOFT, *parts])] if parts else []
        remark: list[Document] = [] if start is None else [Suffix(start)]
        return Group([opening, *remark, *body, SOFT, close.text], asked or bool(end))

    def _fills(self, inner: Sequence[Tree], close: Leaf, asked: bool) -> bool:
        """Whether as many elements as fit stand on a line: strings without comments and blank
        lines between them, which do not each stand on a line of their own for a comma's sake."""
        texts = [tree for tree in inner if isinstance(tree, Leaf)]
        if len(texts) < max(len(inner), 2) or any("#" in leaf.before for leaf in (*texts, close)):
            return False
        if any(leaf.type not in ("STRING", "COMMA") or _is_apart(leaf.before) for leaf in texts):
            return False
        strings = [leaf for leaf in texts if leaf.type == "STRING"]
        pairs = pairwise(strings)
        return not asked or any(left.end_line == right.line for left, right in pairs)

    def _filled(self, open_: Leaf, inner: Sequence[Tree], close: Leaf, asked: bool) -> Document:
        """A list of strings on one line, or on lines that are full."""
        opening = self.leaf(open_)
        texts = [self.leaf(first(tree)) for tree in inner if not is_comma(tree)]
        words = [Word(f"{text},") for text in texts[:-1]] + [Word(texts[-1])]
        body = Indent([SOFT, Fill(words, tail=1), IfBroken(",")])
        return Group([opening, body, SOFT, close.text], asked)

    def _rows(self, inner: Sequence[Tree], close: Leaf) -> tuple[list[Row], str | None, list[str]]:
        """The elements, the comment after the opening bracket, those above the closing one."""
        rows: list[Row] = []
        start: str | None = None
        above: list[str] = []
        for tree in (*inner, close):
            lead = first(tree)
            blank = bool(rows) and _is_apart(lead.before)
            for comment in self.take(lead):
                if comment.trailing and rows and rows[-1].suffix is None and not above:
                    rows[-1].suffix = comment.text
                elif comment.trailing and not rows and start is None:
                    start = comment.text
                else:
                    above.append(comment.text)
            if tree is close or is_comma(tree):
                continue
            outer, self.above = self.above, above
            document = self._build(tree)
            rows.append(Row(self.above, document, blank))
            above, self.above = [], outer
        return rows, start, above


def _is_apart(gap: str) -> bool:
    """Whether a gap between tokens has a blank line above its comments."""
    for line in gap.split("\n")[1:-1]:
        if not line.strip():
            return True
        if "#" in line:
            return False
    return False


def _row_parts(rows: list[Row], comma: str | None) -> list[Document]:
    parts: list[Document] = []
    for number, row in enumerate(rows, 1):
        if number > 1:
            parts.append(BLANK if row.blank else LINE)
        for text in row.above:
            parts += [text, HARD]
        parts.append(row.document)
        final = IfBroken(",") if comma is None else comma
        parts.append("," if number < len(rows) else final)
        if row.suffix is not None:
            parts.append(Suffix(row.suffix))
    return parts


def is_comma(tree: Tree) -> bool:
    """Whether this is the comma between two elements."""
    return isinstance(tree, Leaf) and tree.type == "COMMA"


def _comments(module: Module) -> dict[int, list[Comment]]:
    """The comments before each token, by the token's offset."""
    found = {}
    before = Leaf("", "", 0, 1, 1)
    for leaf in module.leaves:
        if "#" in leaf.before:
            gap = comments(leaf.before, before.end_line, before.end_column)
            found[leaf.start_pos] = list(gap)
        before = leaf
    return found
