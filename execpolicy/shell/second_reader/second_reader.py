"""A second opinion on the structure of a script, from bashlex.

bashlex reads the skeleton of the parser's tree; if it finds other commands than the parser did, the
text counts as not understood. Importing bashlex takes longer
than everything else together, so only texts with compound commands are checked this way.
"""

import os
import sys
from binascii import crc32

from execpolicy.shell.second_reader.skeleton import skeletons
from execpolicy.shell.second_reader.structure import commands, runs, structures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Protocol

    from execpolicy.shell.second_reader.structure import Answer
    from execpolicy.shell.syntax.tree import Node

    class Tables(Protocol):
        """Whoever keeps bashlex's tables: what is saved under a stamp is loaded by that stamp.

        It also keeps what bashlex said to structures: None for one that was never asked about.
        """

        def load(self, stamp: str) -> Any: ...

        def save(self, stamp: str, tables: Any) -> None: ...

        def answer(self, key: str) -> tuple[Answer] | None: ...

        def learn(self, key: str, answer: tuple[Answer]) -> None: ...


def agrees(nodes: "list[Node]", tables: "Tables | None" = None) -> bool:
    """Whether bashlex finds in each list of a tree the same commands with as many words."""
    for skeleton in skeletons(nodes):
        if skeleton.shapes and found(skeleton.text, tables) != skeleton.shapes:
            return False
    return True


def found(line: str, tables: "Tables | None" = None) -> list[int] | None:
    """The number of words of each simple command in a skeleton; None where bashlex refuses it.

    What bashlex said to a structure before is not asked again.
    """
    shapes: list[int] = []
    for one in structures(line) or ():
        answer = _answer(one.key, tables)
        if answer is None:
            break
        (places,) = answer
        if places is None:
            return None
        shapes += one.shapes(places)
    else:
        if shapes:
            return shapes
    trees = _trees(line, tables)
    return None if trees is None else [len(node.parts) for node in commands(trees)]


def _answer(key: str, tables: "Tables | None") -> "tuple[Answer] | None":
    """What bashlex says to a structure, from where that is kept."""
    answer = None if tables is None else tables.answer(key)
    if answer is None:
        answer = said(key, tables)
        if answer is not None and tables is not None:
            tables.learn(key, answer)
    return answer


def said(key: str, tables: "Tables | None") -> "tuple[Answer] | None":
    """What bashlex says to a structure; None where its answer is not about the runs of words."""
    trees = _trees(key, tables)
    if trees is None:
        return (None,)
    answer = runs(key, trees)
    return None if answer is None else (answer,)


def answers(keys: "Iterable[str]") -> "Iterator[tuple[str, Answer]]":
    """What bashlex says to each structure, of texts that are structures."""
    for key in keys:
        known = said(key, None)
        if known is not None:
            yield key, known[0]


def _trees(text: str, tables: "Tables | None") -> "list[Any] | None":
    try:
        trees: list[Any] = _parser(tables)(text)
    except Exception:  # bashlex raises whatever its tables and assertions come across
        return None
    return trees


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
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("bashlex")
    if spec is None or spec.loader is None:
        raise ImportError("bashlex is not installed")
    package = sys.modules["bashlex"] = type(sys)("bashlex")
    package.__spec__, package.__path__ = spec, list(spec.submodule_search_locations or ())
    try:
        import bashlex

        yacc = _import_yacc(bashlex, PathFinder)
        if tables is not None:
            _replace_builder(yacc.LRTable, package.__path__[0], tables)
        spec.loader.exec_module(package)
    except BaseException:
        del sys.modules["bashlex"]
        raise
    return package


def _import_yacc(package: "Any", finder: "Any") -> "Any":
    """Import bashlex's parser generator without `inspect`, which takes longer than to parse.

    It asks it only in which module and file a function of the grammar is. Only this module sees the
    one that stands in its place.
    """
    name = "bashlex.yacc"
    spec = finder.find_spec(name, package.__path__)
    module = type(sys)(name)
    module.__spec__, module.__file__ = spec, spec.origin
    plain = __import__

    def imported(wanted: str, *arguments: "Any", **more: "Any") -> "Any":
        return _Inspect if wanted == "inspect" else plain(wanted, *arguments, **more)

    own = sys.modules["builtins"].__dict__
    module.__dict__["__builtins__"] = {**own, "__import__": imported}
    sys.modules[name] = package.yacc = module
    try:
        exec(spec.loader.get_code(name), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module


class _Inspect:
    """What the parser generator asks of `inspect`."""

    @staticmethod
    def getmodule(item: "Any") -> "Any":
        return sys.modules.get(item.__module__)

    @staticmethod
    def getsourcefile(module: "Any") -> "str | None":
        return getattr(module, "__file__", None)

    @staticmethod
    def getsourcelines(module: "Any") -> "Any":
        raise OSError("it only looks for functions that are defined twice")


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
