"""What a session begins with: what it makes on the disk, and the variables of its agent."""

import os
from pathlib import Path

import pytest

from execpolicy.wrap.programs import SHIM, ShimDirectories
from tests.wrap.support import wrapped


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


def test_variables_that_the_user_may_have_otherwise(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent has those of its entry, and of its defaults those that the user has not."""
    agent = home / "opencode"
    agent.write_text("#!/bin/sh\necho $OPENCODE_PERMISSION $OPENCODE_CONFIG_CONTENT\n")
    agent.chmod(0o755)
    monkeypatch.setenv("OPENCODE_PERMISSION", "{}")
    said = wrapped(project, "", agent=[str(agent)]).stdout
    assert said == b'{"*":"allow"} {"snapshot":false}\n'
    monkeypatch.setenv("OPENCODE_CONFIG_CONTENT", "{}")
    assert wrapped(project, "", agent=[str(agent)]).stdout == b'{"*":"allow"} {}\n'
