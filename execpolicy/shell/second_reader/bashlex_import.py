"""The import of bashlex, the one place that knows it.

Making its tables takes most of the time of an import, and what it imports of the standard library
most of the rest. So its parser is kept between processes as plain data, and its modules see light
ones. Should either fail, with another version of bashlex, it is imported as it is.
"""

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import PathFinder  # `importlib` costs more than it saves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import CodeType, ModuleType
    from typing import Protocol, TypeGuard

    from execpolicy.shell.second_reader.structure import BashlexNode

    class KeptTables(Protocol):
        """A place that keeps bashlex's tables between processes."""

        def load(self, stamp: str) -> object:
            """What was saved under this stamp, None if nothing was."""

        def save(self, stamp: str, tables: object) -> None:
            """Keep tables under a stamp."""

    Table = Mapping[int, dict[str, int]]
    Kept = tuple[Table, Table, list[tuple[str, int, str | None]], dict[int, int]]
    """The two tables, state → symbol → number, and the productions: each by its name, with its
    length and the name of its function. Then the states of which each reduces by one production
    whatever follows."""
    Functions = Mapping[str, object]

    class _Made(Protocol):
        """A production, as the parser generator makes it."""

        name: str
        len: int
        func: str | None

    class _Parser(Protocol):
        """A parser, as the parser generator makes it."""

        action: Table
        goto: Table
        productions: tuple[_Made, ...]
        defaulted_states: dict[int, int]

    class _Build(Protocol):
        """The parser generator."""

        def __call__(self, *arguments: object, **options: object) -> _Parser: ...


NAME = "bashlex"


def parser(tables: "KeptTables | None") -> "Callable[[str], list[BashlexNode]]":
    """The parser of bashlex, which is imported here for the first time it is needed.

    Raises `ImportError` where it is not installed.
    """
    module = sys.modules.get(NAME)
    if module is None or not hasattr(module, "parse"):
        module = _import(tables)
    parse: Callable[[str], list[BashlexNode]] = module.parse
    return parse


def _import(tables: "KeptTables | None") -> "ModuleType":
    """Import bashlex, with its tables as they were kept."""
    importer = _Importer(tables)
    sys.meta_path.insert(0, importer)
    try:
        import bashlex
    except Exception:
        _forget()
    finally:
        sys.meta_path.remove(importer)
    if NAME not in sys.modules:
        import bashlex
    module: ModuleType = bashlex
    return module


def _forget() -> None:
    for name in [n for n in sys.modules if n.partition(".")[0] == NAME]:
        del sys.modules[name]


class _Importer:
    """A finder and loader of bashlex's modules (PEP 451), while it is imported."""

    def __init__(self, tables: "KeptTables | None") -> None:
        from execpolicy.shell.second_reader.light_modules import light

        self._tables = tables
        self._codes: dict[str, Callable[[str], CodeType]] = {}
        self._builtins = {**sys.modules["builtins"].__dict__, "__import__": light}

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: object = None
    ) -> "ModuleSpec | None":
        """The spec of a module of bashlex, from where it is installed."""
        if name.partition(".")[0] != NAME:
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is None or not hasattr(spec.loader, "get_code"):
            return None
        self._codes[name] = getattr(spec.loader, "get_code")  # noqa: B009 — few loaders have it
        spec.loader = self  # type: ignore[assignment]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """None: an ordinary module will do."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run the module's code, which sees the light modules. Raises what it raises."""
        name = module.__name__
        module.__dict__["__builtins__"] = self._builtins
        exec(self._codes[name](name), module.__dict__)
        if name == f"{NAME}.yacc" and self._tables is not None:
            _replace_builder(module, self._tables)


def _replace_builder(module: "ModuleType", tables: "KeptTables") -> None:
    """Have the parser generator give the parser that was kept, and keep the one that it makes."""
    build: _Build = module.yacc

    def kept(*arguments: object, **options: object) -> object:
        grammar = sys.modules[f"{NAME}.parser"]
        stamp = _stamp(os.path.dirname(module.__file__ or ""))
        found = tables.load(stamp)
        if _are_tables(found):
            return _made(module.LRParser, found, vars(grammar))
        made = build(*arguments, **options, module=grammar)
        tables.save(stamp, _plain(made))
        return made

    module.__dict__["yacc"] = kept


def _made(parser: type, kept: "Kept", functions: "Functions") -> object:
    """A parser with the tables that were kept, in which nothing has to be looked for."""
    found = {"set_defaulted_states": lambda made: setattr(made, "defaulted_states", kept[3])}
    return type(parser.__name__, (parser,), found)(
        _Tables(kept, functions), functions.get("p_error")
    )


class _Tables:
    """What a parser is made from: the two tables, and the productions with their functions."""

    def __init__(self, kept: "Kept", functions: "Functions") -> None:
        self.lr_action, self.lr_goto, productions, _ = kept
        self.lr_productions = [
            _Production(name, length, function and functions[function])
            for name, length, function in productions
        ]


class _Production:
    """What a parser looks at in a production when it reduces by it."""

    def __init__(self, name: str, length: int, function: object) -> None:
        self.name, self.len, self.callable = name, length, function


def _plain(made: "_Parser") -> "Kept":
    """The tables of a parser that was just made, as plain data."""
    productions = [(one.name, one.len, one.func) for one in made.productions]
    return dict(made.action), dict(made.goto), productions, made.defaulted_states


def _stamp(directory: str) -> str:
    """Which release the tables are made from, the same wherever it is installed.

    The sizes of the files with the grammar and its generator tell: no two releases have the same.
    """
    sizes = [os.stat(os.path.join(directory, name)).st_size for name in ("parser.py", "yacc.py")]
    return "-".join(map(str, sizes))


def _are_tables(kept: object) -> "TypeGuard[Kept]":
    """Whether these are the two tables, the productions and the states."""
    if not isinstance(kept, tuple) or len(kept) != 4 or not isinstance(kept[3], dict):
        return False
    return all(map(_is_table, kept[:2])) and _are_productions(kept[2])


def _is_table(kept: object) -> bool:
    return isinstance(kept, dict) and all(isinstance(row, dict) for row in kept.values())


def _are_productions(kept: object) -> bool:
    return isinstance(kept, list) and all(type(one) is tuple and len(one) == 3 for one in kept)
