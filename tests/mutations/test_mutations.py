"""The runner of mutations itself: what it draws, keeps and notices."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.mutations import worker
from tests.mutations.drawing import QUOTAS, candidates, drawn
from tests.mutations.held import files, held, holding, ordered
from tests.mutations.row import EQUIVALENT, ROWS, Row, changed, read, stale, write

ROOT = Path(__file__).parents[2]
PATH = "execpolicy/shell/a.py"

LINES = [
    ("if a < b:", ["if a <= b:", "if True:", "if False:"]),
    ("x = a and b", ["x = (a or b)", "x = (b)", "x = (a)"]),
    ("x = not a", ["x = (a)"]),
    ("x = a[1]", ["x = a[2]"]),
    ("x = True", ["x = False"]),
    ('x = a in ("b", c)', ["x = a not in ('b', c)", "x = a in ('b?', c)"]),
    ("x = any(a)", ["x = all(a)"]),
    ("x = a + 1", ["x = (a - 1)", "x = a + 2"]),
    # What is only said, and what decides how fast something is.
    ('raise ValueError("a" + b[1])', []),
    ('x = f"{a[1]}"', []),
    ("MAX_SECONDS = 1", []),
    ("x: 'list[int]' = a", []),
]


@pytest.mark.parametrize(("line", "others"), LINES)
def test_what_a_line_may_become(line: str, others: list[str], tmp_path: Path) -> None:
    written(tmp_path, f"{line}\n{'    c' if line.endswith(':') else ''}\n")
    assert sorted(row.new for row in candidates(PATH, tmp_path)) == sorted(others)


RETURNED = [
    ("bool", ["return True", "return False"]),
    ("str", ["return ''"]),
    ("tuple[int, ...]", ["return ()"]),
    ("'Word | None'", ["return None"]),
    ("Word", []),
]


@pytest.mark.parametrize(("kind", "others"), RETURNED)
def test_what_a_function_may_give(kind: str, others: list[str], tmp_path: Path) -> None:
    written(tmp_path, f"def f(a) -> {kind}:\n    return a\n")
    assert [row.new for row in candidates(PATH, tmp_path)] == others


def written(root: Path, text: str) -> Path:
    path = root / PATH
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_row_fits_while_its_line_is_once_in_the_file(tmp_path: Path) -> None:
    row = Row(PATH, "a number", "x = 1", "x = 2")
    file = written(tmp_path, "if a:\n    x = 1\n")
    assert changed(row, file.read_text()) == "if a:\n    x = 2\n"
    assert not [*stale([row], tmp_path)]
    for text in ("x = 1\nx = 1\n", "x = 11\n", ""):
        file.write_text(text)
        assert [*stale([row], tmp_path)] == [row]
    assert [*stale([row], tmp_path / "none")] == [row]


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    rows = [Row(PATH, "a: b", "- x", "+ x"), Row(PATH, "c", "x", "y", "nobody sees it")]
    write(tmp_path / "rows", rows)
    assert read(tmp_path / "rows") == rows
    assert read(tmp_path / "none") == []


def test_only_what_no_longer_fits_is_drawn_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(QUOTAS, "shell", 3)
    written(tmp_path, "".join(f"x{n} = a[{n}]\n" for n in range(9)))
    first = drawn([], [], tmp_path)
    assert drawn([], [], tmp_path) == first
    assert len(first) == len({row.old for row in first}) == 3
    equivalent = first[0]._replace(note="a")
    gone = Row(PATH, "a number", "y = 1", "y = 2")
    again = drawn([*first[:2], gone], [equivalent], tmp_path)
    assert len(again) == 3
    assert first[1] in again
    assert not {first[0].old, gone.old} & {row.old for row in again}


def test_the_list_has_its_rows_once_and_none_that_changes_nothing() -> None:
    rows, without = read(ROWS), read(EQUIVALENT)
    assert Counter(row.package for row in rows) == QUOTAS
    assert len({(row.path, row.old) for row in rows}) == len(rows) == 220
    assert not {(row.path, row.old, row.new) for row in rows}.intersection(
        (row.path, row.old, row.new) for row in without
    )
    assert all(row.note for row in without)


TEXT = """
LIMIT = 1
class C:
    def method(self):
        return [n for n in range(3) if n > 1]
def outer():
    def inner():
        return "old"
    return inner
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("n > 1", "n > 0", ([1, 2], "old")),
        ('"old"', '"new"', ([2], "new")),
        ("LIMIT = 1", "LIMIT = 2", None),
        ("class C:", "class C:\n    x = 1", None),
    ],
)
def test_functions_get_their_new_code_where_they_are(
    old: str, new: str, found: tuple[list[int], str] | None, tmp_path: Path
) -> None:
    path = tmp_path / "mutated_module.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location("mutated_module", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "mutated_module", module)
        spec.loader.exec_module(module)
        assert worker.replaced(str(path), TEXT, TEXT.replace(old, new)) is (found is not None)
    assert (module.C().method(), module.outer()()) == (found or ([2], "old"))


def test_the_tests_of_a_file_are_those_of_the_deepest_folder_that_is_named() -> None:
    assert {file.parent.name for file in holding("execpolicy/engine/decide.py")} >= {"engine"}
    assert holding("execpolicy/engine/paths/bases.py") != holding("execpolicy/engine/decide.py")
    tests = holding("execpolicy/approvals/cover.py")
    likely = ordered(tests, "execpolicy/approvals/cover.py", "return is_below(path, directory)")
    assert likely[0].name == "test_settle.py"
    assert sorted(likely) == sorted(tests)


def test_every_folder_of_the_package_names_tests_that_exist() -> None:
    package = ROOT / "execpolicy"
    named = held()
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    assert {folder for folder in named if "/" not in folder} == folders - {"data"}
    assert all((package / folder).is_dir() for folder in named)
    assert [p for patterns in named.values() for p in patterns if not files(p, ROOT)] == []
