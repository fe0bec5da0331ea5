"""What a session makes on the disk at its start."""

import os
from pathlib import Path

import pytest

from execpolicy.wrap.programs import SHIM, ShimDirectories


@pytest.mark.parametrize("many", [True, False], ids=["", "where a link has one name"])
def test_programs_are_names_of_one_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: bool
) -> None:
    """As far as a file system lets it: room for each would be the longest part of a start."""

    def refused(*_given: object, **_how: object) -> None:
        raise OSError

    if not many:
        monkeypatch.setattr(os, "link", refused)
    made = tmp_path / "made"
    ShimDirectories(str(tmp_path))._links("/usr/bin", str(made))
    assert {*os.listdir("/usr/bin")} <= {*os.listdir(made)}
    assert {os.readlink(one) for one in made.iterdir()} == {SHIM}
    assert (len({one.lstat().st_ino for one in made.iterdir()}) == 1) is many
