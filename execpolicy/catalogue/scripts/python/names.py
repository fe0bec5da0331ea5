"""The names that a Python text binds, and the texts that those stand for which are bound once."""

import _ast as ast
import builtins
import posixpath
from _collections_abc import Iterator

from execpolicy.catalogue.scripts.python.tree import UnreadError, walk
from execpolicy.support.resources import words_of

LISTS = words_of("python")
MEMBERS = LISTS["members"]
PATHS = LISTS["paths"]
_CALLED = LISTS["opens"] | LISTS["reads"] | PATHS | {"os.environ", "os.getenv"}
KNOWN = MEMBERS | _CALLED
MODULES = frozenset(name[:at] for name in KNOWN for at, char in enumerate(name) if char == ".") | {
    "sys"
}
_REACHED = ({*dir(builtins)} | LISTS["former"]) - LISTS["builtins"]
"""Built-in names that do more than compute. A text that gives one a value in some scope may still
mean the built-in one by it in another."""
_MAX_TEXTS = 64
_MAX_DEPTH = 20
_MAX_LOOKS = 5_000


class Names:
    """What each name of a text is: `imported` the module or the member, `bound` how often it gets
    a value in another way."""

    def __init__(self, tree: ast.Module) -> None:
        self.imported: dict[str, str] = {}
        self.bound: dict[str, int] = {}
        self._values: dict[str, list[ast.expr]] = {}
        self._loads: dict[str, int] = {}
        self._looks = 0
        self._loops: list[ast.For | ast.comprehension] = []
        for node in walk(tree):
            self._bind(node)
        for loop in self._loops:
            self._over(loop.target, self._list(loop.iter))
        names = self.imported.keys() | self.bound.keys()
        if self.imported.keys() & self.bound.keys() or names & _REACHED:
            raise UnreadError
        if any(name[:2] == "__" for name in names):
            raise UnreadError

    def full(self, node: ast.AST) -> str:
        """The name of a module or member by its whole path, as in `json.load`; or empty."""
        tail: list[str] = []
        while type(node).__name__ == "Attribute":
            tail.append(node.attr)  # type: ignore[attr-defined]
            node = node.value  # type: ignore[attr-defined]
        if not isinstance(node, ast.Name):
            return ""
        first = self.imported.get(node.id)
        if first is None:
            return node.id if not tail and node.id == "open" and "open" not in self.bound else ""
        return ".".join((first, *reversed(tail)))

    def value(self, name: str) -> ast.expr | None:
        """The one value that a name ever gets, where that is written out."""
        values = self._values.get(name, ())
        return values[0] if len(values) == 1 and self.bound.get(name) == 1 else None

    def texts(self, node: ast.AST | None, depth: int = 0) -> tuple[str, ...] | None:
        """All texts that an expression can be, or None where that is not known."""
        found: tuple[str, ...] | None = None
        self._looks += 1
        if depth > _MAX_DEPTH or self._looks > _MAX_LOOKS:
            return None
        if isinstance(node, ast.Constant):
            found = (node.value,) if isinstance(node.value, str) else None
        elif isinstance(node, ast.Name):
            found = self._of_name(node.id, depth)
        elif isinstance(node, ast.JoinedStr):
            found = self._joined(node.values, "", depth)
        elif isinstance(node, ast.FormattedValue):
            plain = node.conversion == -1 and node.format_spec is None
            found = self.texts(node.value, depth + 1) if plain else None
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            found = self._joined([node.left, node.right], "", depth)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            found = self._joined([node.left, node.right], "/", depth)
        elif isinstance(node, ast.IfExp):
            found = self._any([node.body, node.orelse], depth)
        elif isinstance(node, ast.Call) and self.full(node.func) in _JOINS and not node.keywords:
            found = self._joined(node.args, "/", depth)
        return found

    def _joined(self, nodes: list[ast.expr], by: str, depth: int) -> tuple[str, ...] | None:
        """What the parts are one after the other; as parts of a path where `by` is `/`."""
        found: tuple[str, ...] = ("",) if nodes else (".",)
        for at, node in enumerate(nodes):
            texts = self.texts(node, depth + 1)
            if texts is None or len(texts) * len(found) > _MAX_TEXTS:
                return None
            joined = posixpath.join if by and at else str.__add__
            found = tuple(joined(one, other) for one in found for other in texts)
        return found

    def _any(self, nodes: list[ast.expr], depth: int) -> tuple[str, ...] | None:
        found: list[str] = []
        for node in nodes:
            texts = self.texts(node, depth + 1)
            if texts is None or len(found) > _MAX_TEXTS:
                return None
            found += texts
        return tuple(found)

    def _of_name(self, name: str, depth: int) -> tuple[str, ...] | None:
        values = self._values.get(name)
        if values is None or self.bound.get(name) != 1:
            return None
        return self._any(values, depth)

    def _bind(self, node: ast.AST) -> None:
        for name in _bound_by(node):
            self.bound[name] = self.bound.get(name, 0) + 1
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self._loads[node.id] = self._loads.get(node.id, 0) + 1
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            if isinstance(node.targets[0], ast.Name):
                self._values[node.targets[0].id] = [node.value]
        elif isinstance(node, ast.For | ast.comprehension):
            self._loops.append(node)

    def _list(self, given: ast.expr) -> list[ast.expr]:
        """What a list that is written out holds, at its place or under a name used just once."""
        if (
            isinstance(given, ast.Name)
            and self._loads.get(given.id) == self.bound.get(given.id) == 1
        ):
            values = self._values.get(given.id, [given])
            given = values[0] if len(values) == 1 else given
        return given.elts if isinstance(given, ast.List | ast.Tuple | ast.Set) else []

    def _over(self, target: ast.expr, given: list[ast.expr]) -> None:
        """Names that a loop sets to what a list holds."""
        if isinstance(target, ast.Name) and given:
            self._values[target.id] = given
        elif isinstance(target, ast.Tuple):
            rows = [row.elts for row in given if isinstance(row, ast.Tuple | ast.List)]
            if len(rows) == len(given) and {*map(len, rows)} == {len(target.elts)}:
                for name, column in zip(target.elts, zip(*rows, strict=True), strict=True):
                    if isinstance(name, ast.Name):
                        self._values[name.id] = list(column)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for each in node.names:
            whole = f"{node.module}.{each.name}" if isinstance(node, ast.ImportFrom) else each.name
            if getattr(node, "level", 0) or whole not in (KNOWN | MODULES):
                raise UnreadError
            name = each.asname or each.name
            if isinstance(node, ast.Import) and each.asname is None:
                name = whole = whole.partition(".")[0]
            if self.imported.setdefault(name, whole) != whole:
                raise UnreadError


_JOINS = PATHS | {"os.path.join"}


def _bound_by(node: ast.AST) -> Iterator[str]:
    """The names that this node gives a value, or takes one from."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
        if isinstance(node.ctx, ast.Del):
            yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
        yield node.arg  # whatever a call gives
    elif isinstance(node, ast.FunctionDef | ast.ExceptHandler) and node.name:
        yield node.name
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
