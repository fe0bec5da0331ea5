"""The plan of the house, held by its own imports: they go down only, and each parser has one file.

Imports inside functions and for type checkers count as any other.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from execpolicy.catalogue.reading.effects import PATHS
from execpolicy.model.program import EFFECTS
from tests.catalogue.shipped import everything

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "execpolicy"
FILES = sorted(p for p in PACKAGE.rglob("*.py") if "data" not in p.relative_to(PACKAGE).parts)

# Each package with the packages that it may import besides itself, `support` and `model`.
LAYERS = {
    "support": set[str](),
    "model": set[str](),
    "policy": set[str](),
    "shell": set[str](),
    "catalogue": set[str](),
    "language": {"policy"},
    "places": {"policy"},
    "store": {"language", "catalogue", "policy"},
    "hosts": {"store", "shell"},
    "undo": {"store"},
    "proxy": {"policy"},
    "prove": {"catalogue", "policy"},
    "lint": {"prove", "store", "language", "catalogue", "policy"},
    "engine": {"hosts", "store", "language", "shell", "catalogue", "places", "policy"},
    "policies": {"hosts", "places"},
    "cases": {"engine", "store", "language", "catalogue", "policy"},
    "approvals": {"engine", "hosts", "store", "shell", "places", "policy"},
    "sandbox": {"engine", "store", "places", "proxy", "policy"},
    "replay": {
        *("cases", "prove", "lint", "engine", "hosts", "store", "language", "catalogue", "places"),
        "policy",
    },
    "serve": {"engine", "hosts", "store", "places"},
    "wrap": {
        *("sandbox", "engine", "approvals", "proxy", "hosts", "store", "undo", "places", "shell"),
        "policy",
    },
    "commands": {
        *("replay", "approvals", "sandbox", "proxy", "cases", "lint", "prove", "engine", "hosts"),
        *("store", "undo", "serve", "wrap"),
        *("places", "language", "shell", "catalogue", "policy"),
    },
}
LOWEST = {"support": {"support"}, "model": {"support", "model"}}

# Each third-party parser, and the one file that imports it. SQLite has one for our own database,
# and one for those of other programs.
PARSERS = {
    "bashlex": "shell/second_reader/bashlex_import.py",
    "daft": "replay/batch/fleet.py",
    "duckdb": "replay/batch/files.py",
    "h11": "proxy/http1.py",
    "idna": "support/hostname.py",
    "lark": "language/syntax/parser.py",
    "pyarrow": "replay/arrow.py",
    "sqlite3": "store/ledger/ledger.py hosts/transcripts/opencode.py",
    "starlark": "language/evaluate/child.py",
    "tomlkit": "hosts/install/toml.py",
    "watchfiles": "store/watch.py",
}

# Folders in which nothing is known of programs, and what looks like it there, with the reason.
WITHOUT_PROGRAMS = ("approvals", "engine", "sandbox")
NO_PROGRAMS = {
    "approvals/codex": "what Codex has built in",
    "approvals/opencode": "what opencode has built in",
    "engine/offers/offers.py": "schemes of URLs",
    "engine/wire.py": "fields of a verdict",
    "sandbox/backends/seccomp.py": "system calls",
}

MAX_FILES = 16
MAX_LINES = 450
BY_NAME = {"commands"}
"""A folder of which each file is a command may have any number."""


@cache
def imported(path: Path) -> frozenset[str]:
    """Every module that a file imports, wherever in it, by its dotted name."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{a.name}" for a in node.names)}
    return frozenset(names)


def name(path: Path) -> str:
    """`execpolicy.model.rule` for the path of that file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def packages(path: Path) -> set[str]:
    """The packages of ours that a file imports."""
    parts = [dotted.split(".") for dotted in imported(path)]
    return {p[1] for p in parts if p[0] == "execpolicy" and len(p) > 1} & LAYERS.keys()


def test_imports_go_down_only() -> None:
    upwards = {name(path): packages(path) - allowed(path) for path in FILES}
    assert {own: needs for own, needs in upwards.items() if needs} == {}


def allowed(path: Path) -> set[str]:
    """The packages that a file may import: the package's own file and its start import all."""
    here = path.relative_to(PACKAGE).parts[0]
    if path.parent == PACKAGE:
        return {*LAYERS}
    return LOWEST.get(here, {here, "support", "model", *LAYERS[here]})


def test_the_layers_have_an_order() -> None:
    left = dict(LAYERS)
    while left:
        lowest = {n for n, below in left.items() if not below & left.keys()}
        assert lowest, f"a circle among {sorted(left)}"
        left = {n: below for n, below in left.items() if n not in lowest}


def test_no_files_import_each_other_in_a_circle() -> None:
    known = {name(path): path for path in FILES}
    left = {own: {*imported(path)} & {*known} - {own} for own, path in known.items()}
    # What a package's own file hands on lazily is for its users, not for its parts.
    left = {own: {n for n in needs if not own.startswith(n + ".")} for own, needs in left.items()}
    while left:
        lowest = {own for own, needs in left.items() if not needs & left.keys()}
        assert lowest, f"a circle among {sorted(left)}"
        left = {own: needs for own, needs in left.items() if own not in lowest}


def test_what_a_decision_is_made_of_does_not_know_it() -> None:
    parts = [
        p for p in FILES if p.parts[-2] in ("offers", "paths", "rules") and "engine" in p.parts
    ]
    assert parts
    assert [str(p) for p in parts if "execpolicy.engine.decide" in imported(p)] == []


@pytest.mark.parametrize(("parser", "home"), PARSERS.items())
def test_each_parser_is_imported_in_one_file(parser: str, home: str) -> None:
    users = {p for p in FILES if any(n.split(".")[0] == parser for n in imported(p))}
    assert users == {PACKAGE / each for each in home.split()}


def test_the_package_itself_has_two_modules() -> None:
    assert {p.name for p in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py"}


def test_no_folder_has_too_many_files() -> None:
    sizes = Counter(path.parent for path in FILES if path.parent.name not in BY_NAME)
    assert {str(folder): size for folder, size in sizes.items() if size > MAX_FILES} == {}


def test_no_file_is_too_long() -> None:
    lengths = {p: len(p.read_text().splitlines()) for p in FILES}
    assert {str(p): length for p, length in lengths.items() if length > MAX_LINES} == {}


def test_every_package_says_what_it_is() -> None:
    for path in PACKAGE.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path


def test_every_value_has_a_type() -> None:
    """What is read from JSON is an `object` until it was looked at."""
    assert [name(p) for p in FILES if imported(p) & {"typing.Any", "typing.cast"}] == []


Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def public(node: ast.Module | ast.ClassDef, path: str) -> Iterator[tuple[str, Documented]]:
    """Every public function and class with its name, methods of public classes among them."""
    for each in node.body:
        if isinstance(each, ast.If):
            yield from public(ast.Module(each.body + each.orelse, []), path)
        elif isinstance(each, Documented) and not each.name.startswith("_"):
            yield f"{path}.{each.name}", each
            if isinstance(each, ast.ClassDef):
                yield from public(each, f"{path}.{each.name}")


def test_every_public_function_says_what_it_does() -> None:
    every = (each for path in FILES for each in public(ast.parse(path.read_text()), name(path)))
    assert [where for where, node in every if not ast.get_docstring(node)] == []


def test_no_class_waits_for_another_to_fill_it() -> None:
    """What differs is given as a value or a function, not left out for a subclass."""
    stubs = [name(path) for path in FILES if "NotImplementedError" in path.read_text()]
    assert stubs == []


def test_nothing_unpickles_what_it_reads() -> None:
    for path in FILES:
        assert not imported(path) & {"pickle", "shelve", "dill"}, path


FOREIGN = {
    "places/guarded/beneath.py",
    "sandbox/backends/connections/connecting.py",
    "sandbox/kernel.py",
    "wrap/first_process.py",
    "wrap/shim.py",
}
"""The files that call the kernel past the standard library, each for one call or two."""


def test_foreign_functions_are_called_in_few_files() -> None:
    users = {
        str(path.relative_to(PACKAGE)) for path in FILES if imported(path) & {"ctypes", "_ctypes"}
    }
    assert users == FOREIGN


def _texts(node: ast.AST) -> list[str]:
    """The texts that a collection holds, the keys of a table, or the words of one text."""
    text = _text(node)
    inside: list[ast.expr | None] = []
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        inside += [e.value if isinstance(e, ast.Starred) else e for e in node.elts]
    elif isinstance(node, ast.Dict):
        inside += node.keys
    return text.split() if text is not None else [t for t in map(_text, inside) if t is not None]


def _text(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def test_no_list_of_programs_is_in_code() -> None:
    """What is known of programs is an entry of the catalogue or a list in `rules/words`."""
    lookup = everything()[0].lookup
    found: set[str] = set()
    for path in FILES:
        name = str(path.relative_to(PACKAGE))
        if not name.startswith(tuple(f"{folder}/" for folder in WITHOUT_PROGRAMS)):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            texts = set(_texts(node))
            known = {text for text in texts.difference(EFFECTS, PATHS) if text and lookup(text)}
            least = max(2, len(texts) / 2) if _text(node) is None else max(3, len(texts) * 0.8)
            if len(known) >= least:
                found.add(f"{name}: {' '.join(sorted(known))}")
    excused = {at: each for at in found for each in NO_PROGRAMS if at.startswith(each)}
    assert found - excused.keys() == set()
    assert set(excused.values()) == set(NO_PROGRAMS), "an exception that nothing needs"
