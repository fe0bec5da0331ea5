"""Which strings of a module are notations of `program(...)`, whose blanks mean nothing.

A notation is an argument that holds one, or a variable at the top of the file that is used in
nothing else. It is one string, or a sum of strings and variables.
"""

from collections.abc import Iterator

from execpolicy.language.syntax import strings
from execpolicy.language.syntax.calls import arguments_of
from execpolicy.language.syntax.tree import Leaf, Module, Node, Tree, leaves
from execpolicy.support.record import Value

ARGUMENTS = {
    "program": ("options", "operands", "help", "settings"),
    "form": ("options", "operands", "needs", "without"),
}
"""The builtins with notations, and which of their arguments are some."""

POSITIONAL = {"program": (None, "options", "operands")}
"""The names of arguments that `fmt` writes out where they are given by their position."""

_BLANKS = " \t\n"


TIGHT, LOOSE, FREE = 0, 1, 2
"""What may change at an end of a literal: nothing; blanks may be added; those there may go too."""


class SumPart(Value):
    """A part of a sum: the inside of a literal, as written, or another expression.

    `before` and `after` say what may change at its ends.
    """

    tree: Tree
    text: str | None = None
    prefix: str = ""
    before: int = TIGHT
    after: int = TIGHT


class Notations:
    """The notations of a module, by the identity of their trees, and arguments to be named."""

    def __init__(self, module: Module) -> None:
        self.sums: dict[int, tuple[SumPart, ...]] = {}
        self.names: dict[int, str] = {}
        self._values: dict[str, Tree] = {}
        if any(f"{name}(" in module.text for name in ARGUMENTS):
            self._read(module)

    def _read(self, module: Module) -> None:
        arguments = list(self._arguments(module))
        variables = _assigned(module)
        halves = {name for name, tree in variables.items() if not _is_closed(tree)}
        arguments = [tree for tree in arguments if _is_whole(tree, halves)]
        variables = {name: tree for name, tree in variables.items() if _is_whole(tree, halves)}
        uses = {id(leaf) for tree in arguments for leaf in _names(tree)}
        # A variable counts once everything that names it does: its value may name another one.
        order: list[str] = []
        mentions = _mentions(module)
        while found := [n for n in variables if n not in order and mentions.get(n, set()) <= uses]:
            order += found
            uses |= {id(leaf) for name in found for leaf in _names(variables[name])}
        self._values = {name: variables[name] for name in order if mentions.get(name)}
        edges = {name: [LOOSE, LOOSE] for name in self._values}
        for tree in arguments:
            self._add(tree, (FREE, FREE), edges)
        for name in order:
            if name in self._values:
                self._add(self._values[name], (edges[name][0], edges[name][1]), edges)

    def _arguments(self, module: Module) -> Iterator[Tree]:
        """The values of the arguments that are notations."""
        callers = [node for node in module.nodes if node.kind == "call"]
        callees = {id(node.children[0]) for node in callers}
        names = [leaf for leaf in module.leaves if leaf.type == "NAME" and leaf.text in ARGUMENTS]
        own = {leaf.text for leaf in names if id(leaf) not in callees}
        for node in callers:
            target = node.children[0]
            known = isinstance(target, Leaf) and target.text in ARGUMENTS
            if known and isinstance(target, Leaf) and target.text not in own:
                yield from self._of_call(target.text, node)

    def _of_call(self, name: str, call: Node) -> Iterator[Tree]:
        positional = POSITIONAL.get(name, ())
        for at, tree in enumerate(arguments_of(call)):
            if isinstance(tree, Node) and tree.kind == "named":
                key, _, value = tree.children
                if isinstance(key, Leaf) and key.text in ARGUMENTS[name]:
                    yield value
            elif isinstance(tree, Node) and tree.kind in ("spread", "spread_named"):
                return
            elif at < len(positional) and (stated := positional[at]):
                self.names[id(tree)] = stated
                yield tree

    def _add(self, tree: Tree, outer: tuple[int, int], edges: dict[str, list[int]]) -> None:
        """Record a sum, and what its variables may add at their ends."""
        parts = _merged(_flat(tree))
        made: list[SumPart] = []
        for at, part in enumerate(parts):
            before = outer[0] if at == 0 else self._ends(parts[at - 1], -1)
            after = outer[1] if at == len(parts) - 1 else self._ends(parts[at + 1], 0)
            made.append(part.replace(before=before, after=after))
            if isinstance(part.tree, Leaf) and part.tree.text in edges:
                known = edges[part.tree.text]
                known[:] = min(known[0], before), min(known[1], after)
        if any(part.text is not None for part in made) and not _remarked(tree):
            self.sums[id(tree)] = tuple(made)

    def _ends(self, part: SumPart, at: int) -> int:
        """What may change beside a part: something if its first (0) or last (-1) character is
        certainly a blank, which it then stays."""
        for _ in range(len(self._values) + 1):
            if part.text is not None:
                return LOOSE if part.text and part.text[at] in _BLANKS else TIGHT
            if not isinstance(part.tree, Leaf) or part.tree.text not in self._values:
                return TIGHT
            part = _merged(_flat(self._values[part.tree.text]))[at]
        return TIGHT


def _assigned(module: Module) -> dict[str, Tree]:
    """The variables that one statement at the top assigns, and no other, with their values."""
    found: dict[str, Tree] = {}
    twice: set[str] = set()
    for line in module.root.children:
        for node in line.children if isinstance(line, Node) and line.kind == "line" else ():
            if isinstance(node, Node) and node.kind == "assignment" and len(node.children) == 3:
                name, sign, value = node.children
                if isinstance(name, Leaf) and isinstance(sign, Leaf) and sign.text == "=":
                    twice |= {name.text} & found.keys()
                    found[name.text] = value
    return {name: value for name, value in found.items() if name not in twice}


def _mentions(module: Module) -> dict[str, set[int]]:
    """The places where each name stands, but as the target of an assignment."""
    targets = {id(n.children[0]) for n in module.nodes if n.kind == "assignment"}
    found: dict[str, set[int]] = {}
    for leaf in module.leaves:
        if leaf.type == "NAME" and id(leaf) not in targets:
            found.setdefault(leaf.text, set()).add(id(leaf))
    return found


def _names(tree: Tree) -> Iterator[Leaf]:
    """The variables that are parts of a sum."""
    for part in _flat(tree):
        if isinstance(part, Leaf) and part.type == "NAME":
            yield part


def _flat(tree: Tree) -> list[Tree]:
    """The parts of a sum, in order."""
    parts: list[Tree] = []
    while isinstance(tree, Node):
        if tree.kind == "parenthesis" and _is_sum(tree.children[1]):
            tree = tree.children[1]
        elif tree.kind == "operation" and _is(tree.children[1], "+"):
            parts = _flat(tree.children[2]) + parts
            tree = tree.children[0]
        else:
            break
    return [tree, *parts]


def _is_sum(tree: Tree) -> bool:
    """Whether brackets around this change nothing."""
    if isinstance(tree, Leaf) or tree.kind == "parenthesis":
        return True
    return tree.kind == "operation" and _is(tree.children[1], "+")


def _is(tree: Tree, text: str) -> bool:
    return isinstance(tree, Leaf) and tree.text == text


def _merged(trees: list[Tree]) -> list[SumPart]:
    """The parts of a sum, in which literals side by side are one."""
    runs: list[list[SumPart]] = []
    for part in map(_part, trees):
        last = runs[-1][-1] if runs else None
        if last and None not in (last.text, part.text) and last.prefix == part.prefix:
            runs[-1].append(part)
        else:
            runs.append([part])
    return [part for run in runs for part in _run(run)]


def _run(parts: list[SumPart]) -> list[SumPart]:
    """One part, if every brace that it opens is closed in it; else the parts as they are."""
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.replace(tree=part.tree, text=_joined(whole, part))
    if whole.text is None or _balanced(whole.text):
        return [whole]
    return [part.replace(text=None) for part in parts]


def _is_closed(tree: Tree) -> bool:
    """Whether every brace that a sum opens is closed in it."""
    return _balanced("".join(_texts(tree)))


def _is_whole(tree: Tree, halves: set[str]) -> bool:
    """Whether each literal closes what it opens, and no variable is of those that do not."""
    named = any(leaf.text in halves for leaf in _names(tree))
    return not named and all(map(_balanced, _texts(tree)))


def _texts(tree: Tree) -> Iterator[str]:
    """The insides of the literals, those side by side as one."""
    for part in _merged(_flat(tree)):
        if isinstance(part.tree, Leaf) and part.tree.type == "STRING":
            yield part.text or strings.split(part.tree.text)[1]


def _joined(left: SumPart, right: SumPart) -> str:
    """Two literals as one; where each has a line of its own, it keeps that."""
    first, second = left.text or "", right.text or ""
    apart = bool(first and second) and (first[-1] in _BLANKS or second[0] in _BLANKS)
    same = isinstance(left.tree, Leaf) and isinstance(right.tree, Leaf)
    line = same and left.tree.end_line != right.tree.line  # type: ignore[union-attr]
    return first + ("\n" if apart and line else "") + second


def _part(tree: Tree) -> SumPart:
    if not isinstance(tree, Leaf) or tree.type != "STRING":
        return SumPart(tree)
    opening, inner, _ = strings.split(tree.text)
    bare = inner.replace("\\\\", "").replace('\\"', "")
    plain = "\\" not in bare and '"' not in bare and "\r" not in inner and "\f" not in inner
    if "r" in opening:
        plain = '"' not in inner and "'" not in inner
    return SumPart(tree, inner if plain else None, "r" if "r" in opening else "")


def _balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


def _remarked(tree: Tree) -> bool:
    """Whether a comment stands inside."""
    return any("#" in leaf.before for leaf in leaves(tree)[1:])
