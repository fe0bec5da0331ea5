"""A second opinion on the structure of a script, from bashlex.

The grammar writes down what it read as a skeleton: every word a `w`, reserved words and operators
as they stood, substitutions as lists of their own. bashlex reads the skeleton; if it finds other
commands than the grammar did, the text counts as not understood. Importing bashlex takes longer
than everything else together, so only texts with compound commands are checked this way.
"""

import os
import sys
from binascii import crc32
from importlib.machinery import PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Tables(Protocol):
        """Whoever keeps bashlex's tables: what is saved under a stamp is loaded by that stamp."""

        def load(self, stamp: str) -> Any: ...

        def save(self, stamp: str, tables: Any) -> None: ...


def agrees(levels: list[tuple[list[str], list[int]]], tables: "Tables | None" = None) -> bool:
    """Whether bashlex finds in each list the same commands with as many words."""
    lines = [(" ".join(out), shapes) for out, shapes in levels if shapes]
    text = "\n".join(line.strip("\n ") for line, _ in lines)
    try:
        found = _shapes(_parser(tables)(text))
    except Exception:  # bashlex raises whatever its tables and assertions come across
        return False
    return found == [shape for _, shapes in lines for shape in shapes]


def prepare(tables: "Tables") -> None:
    """Have the tables made, or loaded. Nothing where bashlex has its own already."""
    _parser(tables)


def _parser(tables: "Tables | None") -> "Any":
    """bashlex's parser. The one place that imports bashlex."""
    module = sys.modules.get("bashlex")
    if module is None or not hasattr(module, "parse"):
        module = _import(tables)
    return module.parse


def _import(tables: "Tables | None") -> "Any":
    """Import bashlex, with its tables as they were kept.

    Making the tables takes most of the time of an import. The package imports its parser, and that
    makes them. So the package is entered bare, its
    table builder replaced, and only then is it executed.
    """
    spec = PathFinder.find_spec("bashlex")
    if spec is None or spec.loader is None:
        raise ImportError("bashlex is not installed")
    package = sys.modules["bashlex"] = type(sys)("bashlex")
    package.__spec__, package.__path__ = spec, list(spec.submodule_search_locations or ())
    try:
        import bashlex.yacc

        if tables is not None:
            _replace_builder(bashlex.yacc.LRTable, package.__path__[0], tables)
        spec.loader.exec_module(package)
    except BaseException:
        del sys.modules["bashlex"]
        raise
    return package


def _replace_builder(table: "Any", directory: str, tables: "Tables") -> None:
    build = table.__init__

    def init(self: "Any", grammar: "Any", log: "Any" = None) -> None:
        stamp = _stamp(directory)
        kept = tables.load(stamp)
        if _is_table(kept):
            self.grammar, self.lr_productions = grammar, grammar.Productions
            self.lr_action, self.lr_goto = kept
            self.sr_conflicts, self.rr_conflicts = [], []
            return
        build(self, grammar, log)
        tables.save(stamp, (self.lr_action, self.lr_goto))

    table.__init__ = init


def _stamp(directory: str) -> str:
    """Which files the tables are made from, the same wherever these are installed."""
    stamps = []
    for name in ("parser.py", "yacc.py"):
        with open(os.path.join(directory, name), "rb") as file:
            text = file.read()
        stamps.append(f"{len(text)}.{crc32(text)}")
    return "-".join(stamps)


def _is_table(kept: "Any") -> bool:
    """Whether this is a pair of tables: state → symbol → number."""
    if not isinstance(kept, tuple) or len(kept) != 2:
        return False
    return all(isinstance(t, dict) and all(isinstance(r, dict) for r in t.values()) for t in kept)


def _shapes(trees: "list[Any]") -> list[int]:
    """The number of words of each simple command, in the order of the text."""
    shapes = []
    waiting = list(reversed(trees))
    while waiting:
        node = waiting.pop()
        if node.kind == "command":
            shapes.append(len(node.parts))
        elif node.kind == "function":
            waiting.append(node.body)
        else:
            inner = getattr(node, "list", None) or getattr(node, "parts", None) or []
            waiting += reversed(inner)
    return shapes
