"""What is in the wheel. Whether it works is tried in `test_pre_commit_shipped.py`."""

import shutil
import zipfile
from pathlib import Path

import pytest

from tests.building import ROOT, built


def test_the_wheel_holds_rules_and_grammar(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    shipped = {p.name for p in (ROOT / "rules").glob("*.rules")}
    assert {f"execpolicy/data/rules/{name}" for name in shipped} <= set(names)
    pages = {p.name for p in (ROOT / "docs/lint").glob("*.md")}
    assert {f"execpolicy/data/docs/lint/{name}" for name in pages} <= set(names)
    assert "execpolicy/data/grammar/rules.lark" in names
    assert "execpolicy/data/grammar/verdict.schema.json" in names
    compiled = {f"execpolicy/data/compiled/{name}" for name in ("builtin", "bashlex", "syntax")}
    assert compiled <= set(names)
    assert "execpolicy/py.typed" in names
    assert not [n for n in names if n.startswith(("tests/", "benchmarks/"))]


@pytest.fixture(scope="module")
def editable(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An editable install has the same files whatever the rules are: few are soon compiled."""
    folder = tmp_path_factory.mktemp("editable")
    project = shutil.copytree(wheel.parents[1] / "project", folder / "project")
    for path in (project / "rules").glob("*.rules"):
        if path.name != "sums.rules":
            path.unlink()
    return built("editable", project, folder / "dist")


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_the_console_script_is_our_own(kind: str, request: pytest.FixtureRequest) -> None:
    archive = zipfile.ZipFile(request.getfixturevalue(kind))
    assert not [n for n in archive.namelist() if n.endswith("entry_points.txt")]
    (script,) = [n for n in archive.namelist() if n.endswith(".data/scripts/execpolicy")]
    first, *rest = archive.read(script).decode().splitlines()
    assert first == "#!python"  # the installer writes the path of its Python
    assert [line for line in rest if line.startswith(("import", "from"))] == [
        "from execpolicy.__main__ import main"
    ]
