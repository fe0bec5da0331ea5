"""What an agent would write into settings that it only reads is there before it starts."""

from pathlib import Path

import pytest

from execpolicy.hosts.agents.agent import AgentEntry
from execpolicy.wrap.home.made import make

ENTRY = AgentEntry("a", "A", (), made=(("~/.a/b/own", "of the home"), (".a/own", "of a project")))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("root/.a", "root/sub/.a", "root/sub/deep", "root/other/.a", ".a", "home/.a/b"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path / "root"


def made(root: Path) -> dict[str, str]:
    make(ENTRY, str(root.parent / "home"), str(root / "sub/deep"), str(root))
    found = [path for path in root.parent.rglob("*") if path.is_file()]
    return {str(path.relative_to(root.parent)): path.read_text() for path in found}


def test_it_is_made_where_the_agent_looks(root: Path) -> None:
    assert made(root) == {
        "home/.a/b/own": "of the home",
        "root/.a/own": "of a project",
        "root/sub/.a/own": "of a project",
    }


def test_what_is_there_stays_and_no_link_is_followed(root: Path) -> None:
    (root / ".a/own").symlink_to("../new")
    (root / "sub/.a").rmdir()
    (root / "sub/.a").symlink_to("../other/.a")
    (root.parent / "home/.a/b/own").write_text("the user's")
    assert made(root) == {"home/.a/b/own": "the user's"}
