"""The calls that stand literally in a rules file, with the place of every part.

Evaluation knows the line of a call at best. What is written out, without variables or loops, can be
found again in the tree and gives diagnostics their columns.
"""

from collections.abc import Iterator

from execpolicy.language.syntax import strings
from execpolicy.language.syntax.syntax import parse
from execpolicy.language.syntax.tree import Leaf, Module, Node, Tree, leaves
from execpolicy.model.errors import Span
from execpolicy.support.record import Value

Literal = (
    None
    | bool
    | int
    | float
    | str
    | list["Literal"]
    | tuple["Literal", ...]
    | dict["Literal", "Literal"]
)


class Text(Value):
    """A string as written somewhere in an argument, and what it stands for."""

    value: str
    span: Span


class Argument(Value):
    """An argument of a call. `name` is None for a positional one.

    `literal` says that it is written out: strings, numbers, `True`, `False`, `None`, and lists,
    tuples and dicts of them. Only then is `value` what it stands for, else None.
    """

    name: str | None
    span: Span
    literal: bool
    value: Literal
    strings: tuple[Text, ...]


class LiteralCall(Value):
    """A call of a name, wherever it stands."""

    name: str
    span: Span
    name_span: Span
    arguments: tuple[Argument, ...]

    def argument(self, name: str, position: int | None = None) -> Argument | None:
        """The argument given by this name or, without one, at this position."""
        for number, argument in enumerate(self.arguments):
            if argument.name == name or (argument.name is None and number == position):
                return argument
        return None


def calls(text: str, file: str = "<rules>") -> tuple[LiteralCall, ...]:
    """The calls of names in a text, outer before inner, in order.

    Raises `PolicyError` where the text does not parse.

    >>> call, = calls('prefix_rule(["git", "push"], decision = "prompt")')
    >>> [(a.name, a.value, str(a.span)) for a in call.arguments]
    [(None, ['git', 'push'], '<rules>:1:13'), ('decision', 'prompt', '<rules>:1:30')]
    >>> [str(s.span) for s in call.arguments[0].strings]
    ['<rules>:1:14', '<rules>:1:21']
    """
    module = parse(text, file)
    return tuple(calls_of(module))


def calls_of(module: Module) -> Iterator[LiteralCall]:
    """Every call of a plain name, in the order of the text."""
    for node in module.nodes:
        if node.kind == "call":
            name = node.children[0]
            if isinstance(name, Leaf) and name.type == "NAME":
                arguments = tuple(_argument(module, tree) for tree in arguments_of(node))
                yield LiteralCall(name.text, module.span(node), module.span(name), arguments)


def arguments_of(call: Node) -> list[Tree]:
    """The arguments of a call, without the commas between them."""
    listed = call.children[2]
    if not isinstance(listed, Node) or listed.kind != "arguments":
        return []
    return [c for c in listed.children if not (isinstance(c, Leaf) and c.type == "COMMA")]


def _argument(module: Module, tree: Tree) -> Argument:
    name, given = None, tree
    if isinstance(tree, Node) and tree.kind == "named":
        key, given = tree.children[0], tree.children[2]
        name = key.text if isinstance(key, Leaf) else None
    spread = isinstance(tree, Node) and tree.kind in ("spread", "spread_named")
    try:
        literal, found = not spread, None if spread else value(given)
    except (ValueError, RecursionError):
        literal, found = False, None
    texts = tuple(
        Text(strings.value(leaf.text), module.span(leaf))
        for leaf in leaves(given)
        if leaf.type == "STRING"
    )
    return Argument(name, module.span(tree), literal, found, texts)


_CONSTANTS = {"True": True, "False": False, "None": None}


def value(tree: Tree) -> Literal:
    """What a literal stands for. Raises `ValueError` for anything that must be evaluated."""
    if isinstance(tree, Leaf):
        return _scalar(tree)
    items = [c for c in tree.children if not (isinstance(c, Leaf) and c.text in _MARKS)]
    if tree.kind == "parenthesis":
        return value(items[0])
    if tree.kind == "list":
        return [value(item) for item in items]
    if tree.kind == "tuple":
        inner = items[0].children if items and isinstance(items[0], Node) else []
        return tuple(value(c) for c in inner if not (isinstance(c, Leaf) and c.text == ","))
    if tree.kind == "dict":
        return {_key(item): value(_entry(item)[1]) for item in items}
    if tree.kind == "unary":
        return _signed(tree)
    raise ValueError(f"`{tree.kind}` is not a literal")


_MARKS = frozenset("()[]{},")


def _scalar(leaf: Leaf) -> Literal:
    if leaf.type == "STRING":
        return strings.value(leaf.text)
    if leaf.type == "INT":
        return int(leaf.text, 0)
    if leaf.type == "FLOAT":
        return float(leaf.text)
    if leaf.text in _CONSTANTS:
        return _CONSTANTS[leaf.text]
    raise ValueError(f"`{leaf.text}` is not a literal")


def _entry(tree: Tree) -> tuple[Tree, Tree]:
    if not isinstance(tree, Node):
        raise ValueError("no entry of a dict")
    return tree.children[0], tree.children[2]


def _key(tree: Tree) -> Literal:
    key = value(_entry(tree)[0])
    if isinstance(key, (list, dict)):
        raise ValueError("a list is not a key")
    return key


def _signed(tree: Node) -> Literal:
    sign, operand = tree.children
    number = value(operand)
    if not isinstance(sign, Leaf) or sign.text == "~" or isinstance(number, bool):
        raise ValueError("no sign")
    if not isinstance(number, (int, float)):
        raise ValueError("no number")
    return -number if sign.text == "-" else number
