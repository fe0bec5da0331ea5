"""The console script of a wheel and of an editable install.

What a whole installation holds, and that it works, is tried in `test_pre_commit_shipped.py`.
"""

import zipfile
from pathlib import Path

import pytest

from tests.building import built, copied


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_the_console_script_is_our_own(kind: str, tmp_path: Path) -> None:
    archive = zipfile.ZipFile(built(kind, copied(tmp_path / "project"), tmp_path / "dist"))
    assert not [n for n in archive.namelist() if n.endswith("entry_points.txt")]
    (script,) = [n for n in archive.namelist() if n.endswith(".data/scripts/execpolicy")]
    first, *rest = archive.read(script).decode().splitlines()
    assert first == "#!python"  # the installer writes the path of its Python
    assert [line for line in rest if line.startswith(("import", "from"))] == [
        "from execpolicy.__main__ import main"
    ]
