"""What the grammar leaves to a look at the finished tree.

Where `return`, `break`, `continue` and `load` may stand, what can be assigned to, names given
twice, and escapes inside strings.
"""

import re
from collections.abc import Iterable, Iterator

from execpolicy.language.syntax import problems, strings
from execpolicy.language.syntax.problems import Found
from execpolicy.language.syntax.tree import Leaf, Module, Node, Tree, first, last, parts
from execpolicy.model.errors import Diagnostic

_PLACES = {
    "return_statement": ("return", "in_def", "a `def`"),
    "break_statement": ("break", "in_loop", "a `for` loop"),
    "continue_statement": ("continue", "in_loop", "a `for` loop"),
}
_TARGETS = frozenset(("attribute", "index", "tuple", "list", "bare_tuple", "parenthesis"))
_OPERATORS = frozenset(("EQUAL", "AUGMENT"))
_SEVERAL = frozenset(("tuple", "list", "bare_tuple"))


def check(module: Module) -> tuple[Diagnostic, ...]:
    """Every problem of a tree, in order of place."""
    found = [*_placements(module.root), *_strings(module)]
    for node in module.nodes:
        if node.kind == "assignment":
            found.extend(_assignment(node))
        elif node.kind == "targets":
            found.extend(_bad_targets(c for c in node.children if _is_target(c)))
        elif node.kind == "if_statement":
            found.extend(_detached(node))
        elif node.kind in ("parameters", "lambda_parameters"):
            found.extend(_repeated(node.children, "parameter"))
        elif node.kind == "arguments":
            found.extend(_repeated(parts(node, "named"), "argument"))
    found.sort(key=lambda problem: problem.start)
    return tuple(problems.diagnostic(module.text, module.file, f) for f in found)


def _found(code: str, message: str, tree: Tree, hint: str | None = None) -> Found:
    return Found(code, message, first(tree).start_pos, last(tree).end_pos, hint)


def _placements(root: Node) -> Iterator[Found]:
    """Statements that stand where they mean nothing."""
    stack: list[tuple[Node, frozenset[str]]] = [(root, frozenset(("top",)))]
    while stack:
        node, around = stack.pop()
        if node.kind in _PLACES:
            word, needed, name = _PLACES[node.kind]
            if needed not in around:
                yield _found("placement", f"`{word}` outside {name}", node)
        elif node.kind == "load_statement" and "top" not in around:
            yield _found("placement", "`load` inside a block", node)
        elif node.kind in _STATEMENTS:
            inner = _context_within(node.kind, around)
            stack.extend((c, inner) for c in node.children if isinstance(c, Node))


_STATEMENTS = frozenset(
    (
        *("file", "line", "suite", "if_statement"),
        *("elif_clause", "else_clause", "for_statement", "def_statement"),
    )
)


def _context_within(kind: str, around: frozenset[str]) -> frozenset[str]:
    if kind == "def_statement":
        return frozenset(("in_def",))
    if kind == "for_statement":
        return (around | {"in_loop"}) - {"top"}
    return around - {"top"} if kind == "if_statement" else around


def _detached(node: Node) -> Iterator[Found]:
    """An `elif` or `else` after a body on the line of its `if` and a blank line.

    The blank line ends the statement for starlark-rust; after an indented body it does not.
    """
    body = parts(node, "suite")[0]
    for clause in parts(node, "elif_clause", "else_clause"):
        word = first(clause)
        blank = any(not line.strip() for line in word.before.split("\n")[1:-1])
        if blank and len(body.children) == 1:
            hint = "remove the blank line, or give the body lines of its own"
            yield _found("syntax", f"a blank line before `{word.text}`", word, hint)
        body = parts(clause, "suite")[0]


def _assignment(node: Node) -> Iterator[Found]:
    target = node.children[0]
    several = _is_several(target)
    operator = next(c for c in node.children if isinstance(c, Leaf) and c.type in _OPERATORS)
    if operator.text != "=" and several:
        hint = "assign to one name at a time"
        yield _found("target", f"`{operator.text}` changes one thing only", target, hint)
    for annotation in parts(node, "annotation"):
        if operator.text != "=":
            yield _found("target", f"a type before `{operator.text}`", annotation, "leave it out")
        elif several:
            yield _found("target", "a type for several names", annotation, "leave it out")
    yield from _bad_targets([target])


def _is_several(tree: Tree) -> bool:
    while isinstance(tree, Node) and tree.kind == "parenthesis":
        tree = tree.children[1]
    return isinstance(tree, Node) and tree.kind in _SEVERAL


def _bad_targets(trees: Iterable[Tree]) -> Iterator[Found]:
    """The innermost parts of a left side that cannot be assigned to."""
    stack = list(trees)
    while stack:
        tree = stack.pop()
        if isinstance(tree, Leaf):
            good = tree.type == "NAME"
        elif tree.kind == "index":
            good = sum(isinstance(c, Leaf) and c.text == "," for c in tree.children) == 0
        else:
            good = tree.kind in _TARGETS
        if not good:
            hint = "assign to a name, `a.b`, `a[b]` or several of them"
            yield _found("target", "this cannot be assigned to", tree, hint)
        elif isinstance(tree, Node) and tree.kind not in ("index", "attribute"):
            stack.extend(c for c in tree.children if _is_target(c))


def _is_target(tree: Tree) -> bool:
    return isinstance(tree, Node) or tree.text not in ("(", ")", "[", "]", ",")


def _repeated(trees: Iterable[Tree], what: str) -> Iterator[Found]:
    """Names that are given twice in one list of parameters or arguments."""
    seen: set[str] = set()
    for tree in trees:
        if not isinstance(tree, Node) or tree.kind == "star":
            continue
        name = next(c for c in tree.children if isinstance(c, Leaf) and c.type == "NAME")
        if name.text in seen:
            yield _found("repeated", f"{what} `{name.text}` is given twice", name)
        seen.add(name.text)


def _strings(module: Module) -> Iterator[Found]:
    """Escapes that mean nothing."""
    opening = ""
    for leaf in module.leaves:
        if leaf.type.startswith("FSTRING_START"):
            opening = leaf.text
        if "\\" in leaf.text:
            if leaf.type.startswith("FSTRING_TEXT"):
                yield from _escapes(leaf, opening, leaf.text, 0)
            elif leaf.type in ("STRING", "BYTES"):
                prefix, inner, offset = strings.split(leaf.text)
                yield from _escapes(leaf, prefix, inner, offset)


def _escapes(leaf: Leaf, opening: str, inner: str, offset: int) -> Iterator[Found]:
    start = leaf.start_pos + offset
    if "r" not in opening:
        try:
            strings.unescape(inner)
        except strings.EscapeError as error:
            hint = "write `\\\\` for a backslash"
            yield Found("escape", str(error), start + error.start, start + error.end, hint)
    elif not opening.endswith(("'''", '"""')) and (broken := _RAW_BREAK.search(inner)):
        # A raw string takes one character after a backslash, and that is not the line feed.
        place = start + broken.end() - 3
        yield Found("string", "a string that does not end", place, place + 1)


_RAW_BREAK = re.compile(r"(?<!\\)(?:\\\\)*\\\r\n")
