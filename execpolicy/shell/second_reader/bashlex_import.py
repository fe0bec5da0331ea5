"""The import of bashlex, the one place that knows it.

Making its tables takes most of the time of an import, so they are kept between processes.
"""

import os
import sys

from execpolicy.support import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Protocol

    from execpolicy.shell.second_reader.structure import BashlexNode

    class KeptTables(Protocol):
        """A place that keeps bashlex's tables between processes."""

        def load(self, stamp: str) -> object:
            """What was saved under this stamp, None if nothing was."""

        def save(self, stamp: str, tables: object) -> None:
            """Keep tables under a stamp."""

    class _Grammar(Protocol):
        Productions: object

    class _Table(Protocol):
        """What the parser generator makes of a grammar."""

        grammar: _Grammar
        lr_productions: object
        lr_action: object
        lr_goto: object
        sr_conflicts: list[object]
        rr_conflicts: list[object]


def parser(tables: "KeptTables | None") -> "Callable[[str], list[BashlexNode]]":
    """The parser of bashlex, which is imported here for the first time it is needed.

    Raises `ImportError` where it is not installed.
    """
    module = sys.modules.get("bashlex")
    if module is None or not hasattr(module, "parse"):
        module = _import(tables)
    parse: Callable[[str], list[BashlexNode]] = module.parse
    return parse


def _import(tables: "KeptTables | None") -> "ModuleType":
    """Import bashlex, with its tables as they were kept.

    The package imports its parser, and that makes the tables. So the package is entered bare, its
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

        yacc = _import_yacc(bashlex, package.__path__)
        if tables is not None:
            _replace_builder(yacc.LRTable, package.__path__[0], tables)
        spec.loader.exec_module(package)
    except BaseException:
        del sys.modules["bashlex"]
        raise
    return package


def _import_yacc(package: "ModuleType", path: "list[str]") -> "ModuleType":
    """Import bashlex's parser generator without `inspect`, which takes longer than to parse.

    It asks it only in which module and file a function of the grammar is. Only this module sees the
    one that stands in its place.
    """
    from importlib.machinery import PathFinder

    name = "bashlex.yacc"
    spec = PathFinder.find_spec(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("bashlex has no parser generator")
    module = type(sys)(name)
    module.__spec__, module.__file__ = spec, spec.origin
    plain: Callable[..., object] = __import__

    def imported(wanted: str, *arguments: object, **more: object) -> object:
        return _Inspect if wanted == "inspect" else plain(wanted, *arguments, **more)

    own = sys.modules["builtins"].__dict__
    module.__dict__["__builtins__"] = {**own, "__import__": imported}
    sys.modules[name] = module
    package.__dict__["yacc"] = module
    try:
        exec(spec.loader.get_code(name), module.__dict__)  # type: ignore[attr-defined]
    except BaseException:
        del sys.modules[name]
        raise
    return module


class _Inspect:
    """What the parser generator asks of `inspect`."""

    @staticmethod
    def getmodule(item: object) -> "ModuleType | None":
        return sys.modules.get(item.__module__)

    @staticmethod
    def getsourcefile(module: "ModuleType") -> "str | None":
        return getattr(module, "__file__", None)

    @staticmethod
    def getsourcelines(module: "ModuleType") -> object:
        raise OSError("it only looks for functions that are defined twice")


def _replace_builder(table: type, directory: str, tables: "KeptTables") -> None:
    """Have the tables of bashlex's grammar loaded where they are kept, and kept where not."""
    build: Callable[[_Table, _Grammar, object], None] = vars(table)["__init__"]

    def init(self: "_Table", grammar: "_Grammar", log: object = None) -> None:
        stamp = _stamp(directory)
        kept = tables.load(stamp)
        if isinstance(kept, tuple) and _are_tables(kept):
            self.grammar, self.lr_productions = grammar, grammar.Productions
            self.lr_action, self.lr_goto = kept
            self.sr_conflicts, self.rr_conflicts = [], []
            return
        build(self, grammar, log)
        tables.save(stamp, (self.lr_action, self.lr_goto))

    type.__setattr__(table, "__init__", init)


def _stamp(directory: str) -> str:
    """Which files the tables are made from, the same wherever these are installed."""
    stamps = []
    for name in ("parser.py", "yacc.py"):
        with open(os.path.join(directory, name), "rb") as file:
            text = file.read()
        stamps.append(f"{len(text)}.{digest.checksum(text)}")
    return "-".join(stamps)


def _are_tables(kept: tuple[object, ...]) -> bool:
    """Whether these are the two tables: state → symbol → number."""
    return len(kept) == 2 and all(map(_is_table, kept))


def _is_table(kept: object) -> bool:
    return isinstance(kept, dict) and all(isinstance(row, dict) for row in kept.values())
