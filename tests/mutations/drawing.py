"""Draws mutations of the package, the same ones for the same code."""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from random import Random

from tests.mutations.operators import Change, changes
from tests.mutations.row import ROOT, Row, changed, stale

QUOTAS = {"shell": 60, "engine": 65, "approvals": 40, "catalogue": 55}
"""How many rows each package has."""
SEED = 30
MOST = 4
"""Rows of one file."""

_IDLE = re.compile(r"SLOTS|SECONDS|CACHE|KEPT|REMEMBERED|TYPE_CHECKING|__slots__")
"""Names of settings that decide how fast something is, and nothing else."""
_SAYING = (ast.JoinedStr, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.arg)
_DECIDING = (ast.Compare, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Subscript)
"""Where a text is compared or looked up, and no message."""


def candidates(path: str, root: Path = ROOT) -> Iterator[Row]:
    """Every mutation of a file that changes one line, and whose line is once in it."""
    text = (root / path).read_text()
    lines = text.split("\n")
    times = Counter(line.strip() for line in lines)
    for node in _deciding(ast.parse(text)):
        for change in changes(node):
            row = _row(path, lines, change)
            if row is not None and times[row.old] == 1:
                yield row


def _row(path: str, lines: list[str], change: Change) -> Row | None:
    """The change as a row, if it lies on one line."""
    node = change.node
    if node.lineno != node.end_lineno:
        return None
    line = lines[node.lineno - 1].encode()
    new = line[: node.col_offset] + change.text.encode() + line[node.end_col_offset :]
    return Row(path, change.kind, line.decode().strip(), new.decode().strip())


def _is_another(row: Row, root: Path) -> bool:
    """Whether the file is still a program, and another one."""
    text = (root / row.path).read_text()
    try:
        made = ast.parse(changed(row, text) or "")
    except SyntaxError:
        return False
    return ast.dump(made) != ast.dump(ast.parse(text))


def _deciding(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one that say what is decided: no annotation, no message, no documentation."""
    types = (getattr(tree, "annotation", None), getattr(tree, "returns", None))
    for node in ast.iter_child_nodes(tree):
        if node in types or _is_idle(node):
            continue
        if isinstance(tree, _DECIDING) or not _is_text(node):
            yield node
        yield from _deciding(node)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_idle(node: ast.AST) -> bool:
    named = getattr(node, "test", getattr(node, "target", None))
    if isinstance(node, ast.Assign):
        named = node.targets[0]
    if named is not None and _IDLE.search(ast.unparse(named)):
        return True
    return isinstance(node, _SAYING)


def drawn(kept: Collection[Row], without: Collection[Row], root: Path = ROOT) -> list[Row]:
    """The rows kept that still fit, and others in the place of those that do not.

    None of `without`, and no two on the same line.
    """
    gone = {*stale([*kept], root), *(row._replace(note="") for row in without)}
    rows = [row for row in kept if row not in gone]
    for package, quota in QUOTAS.items():
        lacking = quota - sum(row.package == package for row in rows)
        rows += _chosen(package, lacking, rows, gone, root)
    return sorted(rows, key=lambda row: ([*QUOTAS].index(row.package), row.path))


def _chosen(
    package: str, number: int, rows: list[Row], gone: Collection[Row], root: Path
) -> Iterator[Row]:
    files = sorted((root / "execpolicy" / package).rglob("*.py"))
    every = [row for file in files for row in candidates(str(file.relative_to(root)), root)]
    Random(f"{SEED} {package}").shuffle(every)  # noqa: S311
    used = Counter(row.path for row in rows)
    lines = {(row.path, row.old) for row in (*rows, *gone)}
    for row in every:
        if number <= 0:
            return
        if used[row.path] >= MOST or (row.path, row.old) in lines:
            continue
        if _is_another(row, root):
            used[row.path] += 1
            lines.add((row.path, row.old))
            number -= 1
            yield row
