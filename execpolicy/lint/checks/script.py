"""Checks of the file as a program: names, statements and files without effect."""

from collections.abc import Iterator

from execpolicy.language.builtins.table import BUILTINS
from execpolicy.language.syntax.tree import Leaf, Module, Node, Tree, nodes
from execpolicy.lint.finding import Finding
from execpolicy.lint.subject import Context, Subject
from execpolicy.model.errors import Span

_ENDING = frozenset(("return_statement", "break_statement", "continue_statement"))
_TARGETS = {"assignment": 0, "for_statement": 1, "for_clause": 1}


def check(subject: Subject, _context: Context) -> Iterator[Finding]:
    """What the text says in vain."""
    module = subject.module
    if module is None:
        return
    if not module.root.children:
        message = "the file holds no rules"
        yield subject.finding(
            "file-empty", message, Span(subject.file, 1, 1, 2), "write one, or delete it"
        )
        return
    yield from _names(subject, module)
    for node in module.nodes:
        if node.kind == "load_statement":
            message, hint = "`load` never finds a file", "write what is needed into this file"
            yield subject.finding("load-unused", message, module.span(node), hint)
        elif node.kind in ("file", "suite"):
            yield from _statements(subject, node)


def _names(subject: Subject, module: Module) -> Iterator[Finding]:
    bound: dict[str, Leaf] = {}
    used: set[str] = set()
    binders: set[int] = set()
    for leaf in _bound(module):
        bound.setdefault(leaf.text, leaf)
        binders.add(leaf.start_pos)
    for leaf in _keywords(module):
        binders.add(leaf.start_pos)
    for leaf in module.leaves:
        if leaf.type == "NAME" and leaf.start_pos not in binders:
            used.add(leaf.text)
    local = {leaf.start_pos for leaf in _bound(module, "for_clause")}
    for name, leaf in bound.items():
        if name in BUILTINS and leaf.start_pos not in local:
            message = f"`{name}` hides the builtin of that name"
            yield subject.finding("name-shadows", message, module.span(leaf), "choose another name")
        elif name not in used and not name.startswith("_"):
            message = f"`{name}` is never used"
            hint = f"leave it out, or call it `_{name}`"
            yield subject.finding("name-unused", message, module.span(leaf), hint)


def _bound(module: Module, only: str = "") -> Iterator[Leaf]:
    """The names that are given a value: by assignment, loop or `def`; parameters are not."""
    for node in module.nodes:
        if only and node.kind != only:
            continue
        if node.kind == "def_statement":
            if isinstance(node.children[1], Leaf):
                yield node.children[1]
        elif node.kind in _TARGETS:
            target = node.children[_TARGETS[node.kind]]
            operator = node.children[-2] if node.kind == "assignment" else None
            if isinstance(operator, Leaf) and operator.type == "AUGMENT":
                continue
            yield from _plain(target)


def _plain(target: Tree) -> Iterator[Leaf]:
    """The bare names in a target; `x[0]` and `x.y` use `x`."""
    if isinstance(target, Leaf):
        if target.type == "NAME":
            yield target
    elif target.kind in ("targets", "bare_tuple", "tuple", "parenthesis", "list"):
        for child in target.children:
            yield from _plain(child)


def _keywords(module: Module) -> Iterator[Leaf]:
    """Names that use no variable: of arguments and attributes."""
    for node in module.nodes:
        at = {"named": 0, "attribute": 2}.get(node.kind)
        leaf = None if at is None else node.children[at]
        if isinstance(leaf, Leaf):
            yield leaf


def _statements(subject: Subject, block: Node) -> Iterator[Finding]:
    module = subject.module
    smalls = list(_smalls(block))
    for number, small in enumerate(smalls):
        if module is None:
            return
        if number and _ends(smalls[number - 1]):
            message = "this is never reached"
            hint = "leave it out, or move it up"
            yield subject.finding("statement-unreachable", message, module.span(small), hint)
            return
        if _idle(small, number):
            message = "this statement has no effect"
            hint = "leave it out, or call something with it"
            yield subject.finding("statement-idle", message, module.span(small), hint)


def _smalls(block: Node) -> Iterator[Tree]:
    """The statements of a block, those that share a line too."""
    for child in block.children:
        if isinstance(child, Node) and child.kind == "line":
            for part in child.children:
                if not (isinstance(part, Leaf) and (part.text in (";", "") or part.type == "_NL")):
                    yield part
        elif isinstance(child, Node):
            yield child


def _ends(tree: Tree) -> bool:
    if isinstance(tree, Leaf):
        return False
    if tree.kind in _ENDING:
        return True
    name = tree.children[0] if tree.kind == "call" else None
    return isinstance(name, Leaf) and name.text == "fail"


def _idle(tree: Tree, number: int) -> bool:
    """Whether a statement only makes a value. A string in front of a block is its description."""
    if isinstance(tree, Leaf):
        return not (tree.type == "STRING" and number == 0) and tree.type in _VALUES
    if tree.kind in ("list_comprehension", "dict_comprehension", "conditional"):
        return not any(n.kind == "call" for n in nodes(tree))
    if tree.kind in ("or_operation", "and_operation", "lambda"):
        return tree.kind == "lambda"
    return tree.kind in _IDLE and not any(n.kind == "call" for n in nodes(tree))


_VALUES = frozenset(("NAME", "INT", "FLOAT", "STRING", "BYTES"))
_IDLE = frozenset(
    [
        *("list", "tuple", "bare_tuple", "dict", "parenthesis", "operation", "comparison"),
        *("attribute", "index", "slice", "unary", "not_operation", "fstring"),
    ]
)
