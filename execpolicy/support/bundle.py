"""Writes the file of compiled modules that `startup` reads, while the package is built."""

import ast
import json
import marshal
import os
import subprocess
import sys
import tempfile
from _frozen_importlib_external import MAGIC_NUMBER

from execpolicy.support.resources import package_directory
from execpolicy.support.startup import ALL, FIRST, place, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from types import CodeType

    from execpolicy.support.startup import Packed, Table

    Orders = dict[str, tuple[str, ...]]
    """By what a process is for: its modules, each after those that it imports."""
    Start = tuple[str, str]
    """The program of a process, and what it reads from stdin."""

_NOTES = """
import importlib.machinery
from execpolicy.support import startup
done = []
def note(loader):
    real = loader.exec_module
    def run_module(self, module):
        real(self, module)
        done.append(module.__name__)
    loader.exec_module = run_module
note(importlib.machinery.SourceFileLoader)
note(startup.Bundle)
startup.use()
"""
_OF_TYPES = ("execpolicy", "_collections_abc")
"""Packages that a module may import for its annotations alone."""
_DIRECTORIES = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
TRIES = 9
"""How often a start is tried: on a busy machine a hook gives up, and its list is not whole."""
_TELLS = """
import json
print("\\n" + json.dumps([name for name in done if name.split(".")[0] == "execpolicy"]))
"""


def write(starts: "Mapping[str, Start] | None" = None) -> None:
    """Compile the package into the file, for the Python that runs this.

    `starts` are processes by their purpose. What the same ones of them import is read in one piece.
    """
    packages = dict(modules())
    code = {name: compiled(name, is_package) for name, is_package in packages.items()}
    _write({}, packages, code)  # what a process imports of this code, it needs
    with tempfile.TemporaryDirectory() as kept:
        orders = {purpose: imported(*start, kept) for purpose, start in (starts or {}).items()}
    _write(orders, packages, code)


def _write(
    orders: "Orders", packages: "Mapping[str, bool]", code: "Mapping[str, CodeType]"
) -> None:
    """Write the file, with the modules of each purpose in their order."""
    table: Table = {}
    codes = b""
    for group in _groups(orders, packages):
        piece = marshal.dumps({name: code[name] for name in group})
        for name in group:
            size = os.stat(source(name, packages[name])).st_size
            table[name] = (packages[name], size, len(codes), len(piece))
        codes += piece
    head = marshal.dumps(_packed(table, orders))
    os.makedirs(os.path.dirname(place()), exist_ok=True)
    beside = f"{place()}.{os.getpid()}"
    with open(beside, "wb") as file:
        file.write(MAGIC_NUMBER.ljust(8, b"\0") + len(head).to_bytes(8, "little") + head + codes)
    os.replace(beside, place())


def modules() -> "Iterator[tuple[str, bool]]":
    """Each module of the package by its dotted name, and whether it is a package."""
    for directory, folders, files in os.walk(package_directory()):
        folders[:] = sorted(f for f in folders if f not in ("data", "__pycache__"))
        parts = os.path.relpath(directory, os.path.dirname(package_directory())).split(os.sep)
        for file in sorted(files):
            if file == "__init__.py":
                yield ".".join(parts), True
            elif file.endswith(".py"):
                yield ".".join((*parts, file.removesuffix(".py"))), False


def compiled(name: str, is_package: bool) -> "CodeType":
    """A module's code without what only readers and type checkers need: docstrings, annotations,
    and imports of what is named in no other place, which no other module may take from this one. To
    load these takes a fifth of the time of all. Of the fields of a class the names are left, from
    which `Value` makes its constructor.

    Its file's name is that of no machine; the one that reads the code puts its own in.
    """
    with open(source(name, is_package), "rb") as opened:
        tree = ast.parse(opened.read())
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            _strip(node)
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.copy_location(ast.Constant(None), node)
    if not is_package:
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        tree.body = [each for each in tree.body if _is_used(each, used)]
    return compile(tree, name, "exec", dont_inherit=True)


def _strip(node: "ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef") -> None:
    kept = [each for each in node.body if not _is_for_types(each)]
    if ast.get_docstring(node, clean=False) is not None:
        kept = kept[1:]
    if isinstance(node, ast.Module):
        kept = [_plain(each) for each in kept]
    node.body = kept or [ast.copy_location(ast.Pass(), node.body[0])]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node.returns = None
        given = node.args
        for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
            if each is not None:
                each.annotation = None


def _plain(node: ast.stmt) -> ast.stmt:
    """An assignment of a module without its annotation."""
    if not isinstance(node, ast.AnnAssign) or node.value is None:
        return node
    return ast.copy_location(ast.Assign([node.target], node.value), node)


def _is_used(node: ast.stmt, used: "Collection[str]") -> bool:
    """Whether a statement of a module is needed: an import is left with the names that are used,
    and those that it says others may take (`a as a`)."""
    if not isinstance(node, ast.ImportFrom) or str(node.module).partition(".")[0] not in _OF_TYPES:
        return True
    node.names = [each for each in node.names if each.asname or each.name in used]
    return bool(node.names)


def _is_for_types(node: ast.stmt) -> bool:
    """Whether this is `if TYPE_CHECKING:` with nothing beside it."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
        and not node.orelse
    )


def _packed(table: "Table", orders: "Orders") -> "Packed":
    """The tables apart, so that a process reads those that it needs."""
    every = [*orders.values()]
    common = [name for name in table if every and all(name in order for order in every)]
    parts = {FIRST: common, **orders}
    lines = (" ".join((name, *map(str, map(int, entry)))) for name, entry in table.items())
    return {ALL: "\n".join(("", *lines, "")).encode()} | {
        purpose: marshal.dumps({name: table[name] for name in names})
        for purpose, names in parts.items()
    }


def _groups(orders: "Orders", packages: "Mapping[str, bool]") -> "Iterator[list[str]]":
    """The modules that are read together, each in one group.

    Those that the same starts need are one, so that no start reads what it does not run.
    """
    together: dict[tuple[str, ...], list[str]] = {}
    for name in dict.fromkeys(name for order in orders.values() for name in order):
        purposes = tuple(purpose for purpose, order in orders.items() if name in order)
        together.setdefault(purposes, []).append(name)
    yield from together.values()
    known = {name for group in together.values() for name in group}
    yield from ([name] for name in packages if name not in known)


def imported(program: str, stdin: str, kept: str) -> tuple[str, ...]:
    """What a process with this program imports of the package, as it does the second time.

    What Python compiles for it is kept in a directory, for the next one, and not in the package.
    """
    # Not by PYTHONPATH: what pip builds with takes a package away that is installed already.
    paths = [os.path.dirname(package_directory()), *filter(None, sys.path)]
    begin = f"import sys; sys.path[:0] = {paths!r}\n"
    command = [sys.executable, "-S", "-c", begin + _NOTES + program + _TELLS]
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "PYTHONPYCACHEPREFIX": kept}
        for name in (*_DIRECTORIES, "PYTHONDONTWRITEBYTECODE"):
            environment.pop(name, None)
        for turn in range(TRIES):
            done = subprocess.run(
                command, input=stdin, capture_output=True, text=True, env=environment, cwd=home
            )
            last = done.stdout.rpartition("\n")[0].rpartition("\n")[2]
            if turn and last[:1] == "[":  # else a hook had no time, and said so
                return tuple(json.loads(last))
    raise RuntimeError(f"a start of the package failed while it was built: {done.stderr}")
