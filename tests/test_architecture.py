"""The house plan, held by its own imports: they go down only, and each parser has one door."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "execpolicy"
FILES = sorted(p for p in PACKAGE.rglob("*.py") if "data" not in p.parts)

# Each room with the rooms it may know besides the hall and itself.
ROOMS = {
    "language": set[str](),
    "shell": set[str](),
    "catalogue": set[str](),
    "agents": set[str](),
    "hosts": {"store", "agents"},
    "store": {"language", "catalogue"},
    "audit": set[str](),
    "lint": {"store", "language", "catalogue"},
    "cases": {"engine", "store", "language", "catalogue"},
    "places": set[str](),
    "proxy": set[str](),
    "approvals": {"engine", "store", "shell", "agents", "places"},
    "policies": {"agents", "places"},
    "engine": {"store", "language", "shell", "catalogue", "agents", "audit", "places"},
    "sandbox": {"engine", "store", "places", "proxy"},
    "commands": {
        "proxy",
        "sandbox",
        "lint",
        "cases",
        "hosts",
        "engine",
        "store",
        "language",
        "shell",
        "catalogue",
        "places",
        "agents",
        "approvals",
        "audit",
        "exit",
    },
}
HALL = {
    "addresses",
    "base_places",
    "confinement",
    "decision",
    "errors",
    "hostname",
    "index",
    "jsonlite",
    "network",
    "model",
    "operation",
    "ordered",
    "path_match",
    "paths",
    "place_index",
    "policy",
    "posture",
    "program",
    "redact",
    "resources",
    "rule",
    "shelf",
    "value",
    "verdict",
    "version",
    "wording",
}
DOORS = {
    "bashlex": "shell",
    "h11": "proxy",
    "idna": "hostname",
    "_sqlite3": "store",
    "lark": "language",
    "sqlite3": "store",
    "starlark": "language",
    "tomlkit": "hosts",
    "watchfiles": "store",
}


def imported(path: Path) -> set[str]:
    """Every module that a file imports, wherever in it, by its dotted name."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{a.name}" for a in node.names}
    return names


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def rooms_known(path: Path) -> set[str]:
    parts = [name.split(".") for name in imported(path)]
    return {p[1] for p in parts if p[0] == "execpolicy" and len(p) > 1}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_down_only(path: Path) -> None:
    here = room(path)
    if here in HALL:
        assert rooms_known(path) <= HALL
    elif here in ROOMS:
        assert rooms_known(path) <= HALL | {here} | ROOMS[here]


def test_the_hall_has_no_cycles() -> None:
    known = {p.stem: rooms_known(p) & HALL - {p.stem} for p in FILES if room(p) in HALL}
    while known:
        leaves = {name for name, needs in known.items() if not needs & known.keys()}
        assert leaves, f"a cycle among {sorted(known)}"
        known = {name: needs for name, needs in known.items() if name not in leaves}


@pytest.mark.parametrize(("parser", "home"), DOORS.items())
def test_each_parser_has_one_door(parser: str, home: str) -> None:
    users = [p for p in FILES if any(n.split(".")[0] == parser for n in imported(p))]
    assert len(users) <= 1
    assert all(room(p) == home for p in users)


def test_no_file_is_too_long() -> None:
    lengths = {p: len(p.read_text().splitlines()) for p in FILES}
    assert {str(p): n for p, n in lengths.items() if n > 450} == {}


def test_nothing_runs_or_unpickles_what_it_reads() -> None:
    # `child.py` evaluates rules text, in a process of its own, with Starlark.
    for path in FILES:
        assert not imported(path) & {"pickle", "shelve", "dill"}, path


FOREIGN = {"places/guarded/beneath.py", "sandbox/look/inotify.py", "sandbox/backends/way_out.py"}
"""The files that call the kernel past the standard library, each for one call."""


def test_foreign_functions_are_called_in_few_files() -> None:
    users = {str(path.relative_to(PACKAGE)) for path in FILES if "ctypes" in imported(path)}
    assert users <= FOREIGN
