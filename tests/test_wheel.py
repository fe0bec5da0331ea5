"""What a wheel and an editable install are made of, without what a build compiles.

That a whole installation works is tried in `test_pre_commit_shipped.py`.
"""

import zipfile
from pathlib import Path

import pytest

from tests.building import built, copied, missing


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("wheel") / "project")


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_the_console_script_is_our_own(kind: str, project: Path, tmp_path: Path) -> None:
    archive = zipfile.ZipFile(built(kind, project, tmp_path))
    names = archive.namelist()
    assert not [n for n in names if n.endswith("entry_points.txt")]
    (script,) = [n for n in names if n.endswith(".data/scripts/execpolicy")]
    first, *rest = archive.read(script).decode().splitlines()
    assert first == "#!/bin/sh"  # it starts the Python beside it with `-I`
    assert [line for line in rest if "execpolicy.__main__" in line] == [
        "    from execpolicy.__main__ import main"
    ]
    if kind == "wheel":
        assert missing(names) == []
