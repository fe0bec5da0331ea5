"""Documents for the parts of a statement."""

from collections.abc import Callable, Sequence

from execpolicy.language.format.blocks import block, breaks, tail
from execpolicy.language.format.brackets import Brackets, is_comma
from execpolicy.language.format.document import (
    HARD,
    LINE,
    SOFT,
    Concat,
    Document,
    Group,
    IfBroken,
    Indent,
    Suffix,
)
from execpolicy.language.format.notation import Notations, SumPart
from execpolicy.language.syntax.tree import Leaf, Module, Node, Tree, first, leaves

_PRECEDENCE = {
    "|": 1,
    "^": 2,
    "&": 3,
    "<<": 4,
    ">>": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "//": 6,
    "%": 6,
}
_CHAINS = ("operation", "or_operation", "and_operation", "comparison", "conditional")


class Chain(Group):
    """Parts of which each but the first begins with a word or an operator.

    Its lines can break where brackets are around it.
    """

    __slots__ = ()


class Expressions:
    """Builds documents for the expressions of one module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.brackets = Brackets(module, self.build)
        self.notations = Notations(module)
        self.sums = {
            key: parts for key, parts in self.notations.sums.items() if any(map(breaks, parts))
        }

    def build(self, tree: Tree) -> Document:
        """The document of a part."""
        name = self.notations.names.get(id(tree))
        if name is None:
            return self._built(tree)
        made = self._built(tree)
        return Concat([name, " = ", Indent([made]) if isinstance(made, Chain) else made])

    def _built(self, tree: Tree) -> Document:
        parts = self.sums.get(id(tree))
        if parts is not None:
            return self._notation(tree, parts)
        if isinstance(tree, Leaf):
            return self.brackets.leaf(tree)
        build = _BUILDERS.get(tree.kind)
        if build is not None:
            return build(self, tree)
        return Concat([self.build(child) for child in tree.children])

    def value(self, tree: Tree) -> Document:
        """The value of a statement: in brackets of its own if it is a chain that does not fit."""
        if id(tree) in self.sums:
            return self.build(tree)
        if not isinstance(tree, Node) or tree.kind not in _CHAINS:
            return self.build(tree)
        self.brackets.depth += 1
        document = self.build(tree)
        self.brackets.depth -= 1
        if not isinstance(document, Chain) or document.forced:
            return _unbroken(document)
        return Group([IfBroken("("), Indent([SOFT, document]), SOFT, IfBroken(")")])

    def _notation(self, tree: Tree, parts: tuple[SumPart, ...]) -> Document:
        self.brackets.leaf(first(tree))
        made: list[Document] = []
        for at, part in enumerate(parts):
            literal = part.text is not None
            document = block(part, tail(parts, at)) if literal else self._built(part.tree)
            made += [" + ", document] if made else [document]
        return Concat(made)

    def joined(self, trees: Sequence[Tree], between: str = " ") -> Document:
        """Parts with the same text between them."""
        parts: list[Document] = []
        for tree in trees:
            parts += [between, self.build(tree)] if parts else [self.build(tree)]
        return Concat(parts)

    def _spaced(self, node: Node) -> Document:
        return self.joined(node.children)

    def _listed(self, node: Node) -> Document:
        """Elements without brackets. Only a single one needs the comma after it."""
        document = self.joined([c for c in node.children if not is_comma(c)], ", ")
        commas = [
            self.brackets.leaf(c) for c in node.children if isinstance(c, Leaf) and is_comma(c)
        ]
        single = len(node.children) == 2 and bool(commas)
        return Concat([document, ","]) if single else document

    def _attribute(self, node: Node) -> Document:
        target, dot, name = node.children
        blank = " " if isinstance(target, Leaf) and target.type == "INT" else ""
        return Concat([self.build(target), blank, self.build(dot), self.build(name)])

    def _lambda(self, node: Node) -> Document:
        parts: list[Document] = [self.build(node.children[0])]
        for child in node.children[1:]:
            if isinstance(child, Node) and child.kind == "lambda_parameters":
                names = [c for c in child.children if not is_comma(c)]
                parts += [" ", self.joined(names, ", ")]
                for comma in child.children:
                    self.brackets.above.extend(c.text for c in self.brackets.take(first(comma)))
            elif child is node.children[-1]:
                parts += [" ", self.build(child)]
            else:
                parts.append(self.build(child))
        return Concat(parts)

    def _verbatim(self, node: Node) -> Document:
        """An f-string stays as it is, the comments in it included."""
        opening, *inside = leaves(node)
        self.brackets.leaf(opening)
        for leaf in inside:
            self.brackets.take(leaf)
        return self.module.source(node)

    def _pair(self, node: Node) -> Document:
        """`name = value`, `name: type = value`, `key: value`. The lines of a chain are indented."""
        *head, sign, value = node.children
        parts = [self.build(tree) for tree in head]
        equals = " =" if isinstance(sign, Leaf) and sign.type == "EQUAL" else ":"
        self.brackets.leaf(first(sign))
        made = self.build(value)
        return Concat([*parts, equals, " ", Indent([made]) if isinstance(made, Chain) else made])

    def _operation(self, node: Node) -> Document:
        """Operations of one precedence side by side."""
        links: list[list[Tree]] = []
        level = _level(node)
        left: Tree = node
        while isinstance(left, Node) and left.kind == node.kind and _level(left) == level:
            links.append(left.children[1:])
            left = left.children[0]
        return self._chain(left, links[::-1])

    def _comparison(self, node: Node) -> Document:
        return self._chain(node.children[0], [node.children[1:]])

    def _conditional(self, node: Node) -> Document:
        value, *rest = node.children
        return self._chain(value, [rest[:2], rest[2:]])

    def _clauses(self, node: Node) -> Document:
        value, *clauses = node.children
        return self._chain(value, [[clause] for clause in clauses])

    def _chain(self, head: Tree, links: list[list[Tree]]) -> Document:
        parts: list[Document] = [self.build(head)]
        for link in links:
            found = self.brackets.take(first(link[0]))
            if found and found[0].trailing:
                parts.append(Suffix(found.pop(0).text))
            outer, self.brackets.above = self.brackets.above, [comment.text for comment in found]
            document = self.joined(link)
            above, self.brackets.above = self.brackets.above, outer
            parts.append(LINE if self.brackets.depth else " ")
            for text in above:
                parts += [text, HARD]
            parts.append(document)
        return Chain(parts) if self.brackets.depth else Concat(parts)

    def _call(self, node: Node) -> Document:
        target, open_, *inner, close = node.children
        listed = inner[0].children if inner and isinstance(inner[0], Node) else []
        return Concat(
            [self.build(target), self.brackets.bracketed(first(open_), listed, first(close))]
        )

    def _collection(self, node: Node) -> Document:
        open_, *inner, close = node.children
        return self.brackets.bracketed(first(open_), inner, first(close))

    def _tuple(self, node: Node) -> Document:
        """A tuple of one needs its comma, a type or value in brackets must have none."""
        open_, *inner, close = node.children
        if inner and isinstance(inner[0], Node) and inner[0].kind == "bare_tuple":
            inner = inner[0].children
        comma = {1: "", 2: ","}.get(len(inner))
        return self.brackets.bracketed(first(open_), inner, first(close), comma)

    def _subscript(self, node: Node) -> Document:
        target, open_, *inner, close = node.children
        brackets = self.brackets.bracketed(first(open_), inner, first(close), "")
        return Concat([self.build(target), brackets])

    def _slice(self, node: Node) -> Document:
        target, open_, *inner, close = node.children
        parts = Node("slice_parts", inner)
        return Concat(
            [self.build(target), self.brackets.bracketed(first(open_), [parts], first(close), "")]
        )

    def _comprehension(self, node: Node) -> Document:
        open_, *inner, close = node.children
        clauses = Node("clauses", inner)
        return self.brackets.bracketed(first(open_), [clauses], first(close), "")


def _unbroken(document: Document) -> Document:
    """A chain outside brackets, where no line can end: only brackets inside it may break."""
    if isinstance(document, (Chain, Concat)):
        return Concat([" " if p is LINE else _unbroken(p) for p in document.parts])
    return document


def _level(node: Node) -> int:
    operator = node.children[1]
    return _PRECEDENCE.get(operator.text, 0) if isinstance(operator, Leaf) else 0


_BUILDERS: dict[str, Callable[[Expressions, Node], Document]] = {
    "and_operation": Expressions._operation,
    "annotation": Expressions._spaced,
    "attribute": Expressions._attribute,
    "bare_tuple": Expressions._listed,
    "call": Expressions._call,
    "clauses": Expressions._clauses,
    "comparison": Expressions._comparison,
    "conditional": Expressions._conditional,
    "default": Expressions._pair,
    "dict": Expressions._collection,
    "dict_comprehension": Expressions._comprehension,
    "entry": Expressions._pair,
    "for_clause": Expressions._spaced,
    "fstring": Expressions._verbatim,
    "if_clause": Expressions._spaced,
    "index": Expressions._subscript,
    "lambda": Expressions._lambda,
    "lambda_default": Expressions._pair,
    "list": Expressions._collection,
    "list_comprehension": Expressions._comprehension,
    "load_name": Expressions._spaced,
    "named": Expressions._pair,
    "not_operation": Expressions._spaced,
    "operation": Expressions._operation,
    "or_operation": Expressions._operation,
    "parenthesis": Expressions._tuple,
    "return_type": Expressions._spaced,
    "slice": Expressions._slice,
    "targets": Expressions._listed,
    "tuple": Expressions._tuple,
    "type_list": Expressions._collection,
    "type_of": Expressions._subscript,
    "type_tuple": Expressions._tuple,
    "type_union": Expressions._spaced,
}
