"""What a Python text does beside computing on what it reads.

Every name, module, member and attribute in it must be one of `rules/words/python.words`: those only
compute, whatever they are given. A module is never a value of its own, so that no other name leads
to what it has beside. What opens a file must name it in the text. All else is code.
"""

import _ast as ast
import re
from _collections_abc import Sequence

from execpolicy.catalogue.scripts.effect import Effect
from execpolicy.catalogue.scripts.python.names import LISTS, MEMBERS, PATHS, Names
from execpolicy.catalogue.scripts.python.tree import UnreadError, parsed, parts
from execpolicy.model.operation import Access, Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.operation import Extent

_PLAIN_NAMES = """
    AnnAssign Assert Assign AugAssign BinOp BoolOp Break Compare Continue Delete Dict
    DictComp ExceptHandler Expr For FormattedValue GeneratorExp Global If IfExp Import
    ImportFrom JoinedStr Lambda List ListComp Module NamedExpr Nonlocal Pass Raise
    FunctionDef Return Set SetComp Slice Starred Subscript Try Tuple UnaryOp While With
    Yield YieldFrom alias arg arguments boolop cmpop comprehension expr_context keyword
    operator unaryop withitem Constant
"""
_PLAIN: tuple[type[ast.AST], ...] = tuple(getattr(ast, name) for name in _PLAIN_NAMES.split())
"""What does nothing by itself: its parts are looked at (library/ast.html, "Abstract grammar")."""
_OPENS, _READS = LISTS["opens"], LISTS["reads"]
_PATH_READS, _PATH_WRITES = LISTS["path_reads"], LISTS["path_writes"]
_LOOKS = _READS | (_PATH_READS - {"read_bytes", "read_text"})
_FIELD = re.compile(r"\{[^{}:!]*[.\[]")
"""A field of `str.format` that takes an attribute or an item of its value."""
_MODES = frozenset("rwaxbt+")
_STREAMS = (0, 1, 2)
_MORE = 4
"""The mode, and after it the buffering, the encoding and what an error of it does."""


def effects(text: str) -> tuple[Effect, ...] | None:
    """What a text does beside computing, or None where that is not known.

    >>> effects("import json, sys; print(json.load(sys.stdin)['a'])")
    ()
    >>> [each.why for each in effects("open('a.txt', 'w').write('x')")]
    ['`open` writes `a.txt`']
    >>> effects("import os; os.system('id')")
    """
    try:
        tree = parsed(text)
        reader = _Reader(Names(tree))
        reader.check(tree)
    except (UnreadError, RecursionError):
        return None
    return tuple(reader.found)


class _Reader:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.found: list[Effect] = []

    def check(self, node: ast.AST) -> None:
        """Go through a node. Raises `UnreadError` at the first that is not known to be harmless."""
        if isinstance(node, ast.Name):
            self._name(node)
        elif isinstance(node, ast.Attribute):
            self._attribute(node)
        elif isinstance(node, ast.Call):
            self._call(node)
        elif isinstance(node, ast.Subscript) and self.names.full(node.value) == "os.environ":
            self._variable(node.slice)
            self.check(node.slice)
        elif getattr(node, "decorator_list", None) or not isinstance(node, _PLAIN):
            raise UnreadError
        else:
            for part in parts(node):
                self.check(part)

    def _name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            known = node.id[:2] != "__"
        elif node.id in self.names.imported:
            known = self.names.imported[node.id] in MEMBERS
        else:
            known = node.id in self.names.bound or node.id in LISTS["builtins"]
        if not known:
            raise UnreadError

    def _attribute(self, node: ast.Attribute) -> None:
        """`json.load`, or an attribute of a value; `type(x)` is asked for its name alone."""
        if not isinstance(node.ctx, ast.Load):
            raise UnreadError
        if self.names.full(node) in MEMBERS:
            return
        if node.attr not in LISTS["attributes"]:
            raise UnreadError
        base = node.value
        if node.attr == "__name__" and isinstance(base, ast.Call) and _is_type(base):
            self._words(base)
        else:
            self.check(base)

    def _call(self, node: ast.Call) -> None:
        function, whole = node.func, self.names.full(node.func)
        if whole in _OPENS:
            self._opens(whole, node.args[:1], _mode(node, 1))
        elif whole in _READS or whole in PATHS:
            self._reads(whole, node)
        elif whole == "os.getenv":
            self._variable(node.args[0] if node.args else None)
        elif isinstance(function, ast.Attribute) and self._method(function, node):
            pass
        else:
            self.check(function)
        self._words(node)

    def _words(self, node: ast.Call) -> None:
        for each in (*node.args, *node.keywords):
            self.check(each)

    def _method(self, function: ast.Attribute, node: ast.Call) -> bool:
        """A method that is looked at with what it belongs to; False for any other."""
        name, base = function.attr, function.value
        if name == "format" and isinstance(base, ast.Constant) and isinstance(base.value, str):
            return not _FIELD.search(base.value)
        if name == "get" and self.names.full(base) == "os.environ":
            self._variable(node.args[0] if node.args else None)
            return True
        if name in _PATH_READS or name in _PATH_WRITES or name == "open":
            if not self._is_path(base):
                raise UnreadError
            mode = _mode(node, 0) if name == "open" else "w" if name in _PATH_WRITES else "r"
            self._opens(name, [base], mode)
            return True
        return False

    def _is_path(self, node: ast.expr) -> bool:
        """Whether an expression makes a path of texts, which its method then opens."""
        if isinstance(node, ast.BinOp):
            return self._is_path(node.left)
        if isinstance(node, ast.Name) and self.names.value(node.id) is not None:
            return self._is_path(self.names.value(node.id) or node)
        return isinstance(node, ast.Call) and self.names.full(node.func) in PATHS

    def _reads(self, whole: str, node: ast.Call) -> None:
        """`os.path.exists("x")` looks at a path; `Path("x")` only makes one."""
        if node.keywords or (whole in PATHS and self.names.texts(node) is None):
            raise UnreadError
        if whole in PATHS:
            pass
        elif whole == "os.listdir" and not node.args:
            self._access(whole, ".", "r")
        else:
            self._opens(whole, node.args[:1], "r")

    def _opens(self, by: str, paths: Sequence[ast.expr], mode: str | None) -> None:
        texts = self.names.texts(paths[0]) if paths else None
        stream = bool(paths) and isinstance(paths[0], ast.Constant) and paths[0].value in _STREAMS
        if stream and not isinstance(getattr(paths[0], "value", None), bool):
            return
        if texts is None or mode is None or not _MODES.issuperset(mode):
            raise UnreadError
        for text in texts:
            self._access(by, text, mode)

    def _access(self, by: str, path: str, mode: str) -> None:
        shown = by.rpartition(".")[2]
        if not path or "\0" in path:
            raise UnreadError
        extent: Extent = "names" if by in _LOOKS else "file"
        if not {*mode}.isdisjoint("wax+"):
            written = Access(path, "write", replaces="w" in mode)
            self.found.append(Effect("write", f"`{shown}` writes `{path}`", written))
        if "r" in mode or "+" in mode:
            access = Access(path, "read", extent=extent)
            self.found.append(Effect("read", f"`{shown}` reads `{path}`", access))

    def _variable(self, name: ast.AST | None) -> None:
        texts = self.names.texts(name)
        for text in texts or (None,):
            shown = f"shows the variable `{text}`" if text else "shows the environment"
            self.found.append(Effect("read", shown, Variable(text)))


def _is_type(call: ast.Call) -> bool:
    named = isinstance(call.func, ast.Name) and call.func.id == "type"
    return named and len(call.args) == 1 and not call.keywords


def _mode(node: ast.Call, at: int) -> str | None:
    """The mode of a call of `open`, if no word of it says more than that and the coding."""
    given = [each.value for each in node.keywords if each.arg == "mode"] + node.args[at : at + 1]
    others = {each.arg for each in node.keywords} - {"mode", "encoding", "errors", "newline"}
    far = len(node.args) > at + _MORE or any(isinstance(each, ast.Starred) for each in node.args)
    if others or far or len(given) > 1:
        return None
    if not given:
        return "r"
    mode = given[0].value if isinstance(given[0], ast.Constant) else None
    return mode if isinstance(mode, str) else None
