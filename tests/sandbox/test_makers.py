"""What another made under a protected name while a run goes on stays, where that is certain."""

import subprocess
from pathlib import Path

import pytest

from execpolicy.sandbox.leftovers.makers import is_expected
from tests.sandbox.test_mending import begun, does, ended
from tests.waiting import until

NAMES = [".envrc", ".mcp.json", "sub/.envrc"]


def _follows(process: "subprocess.Popen[bytes]", project: Path) -> None:
    """Wait until new names are looked at: the run takes longer than a moment."""
    until(
        lambda: (
            not (does(process, "touch .mcp.json; sleep 0.05"), project / ".mcp.json")[1].exists()
        )
    )


def git(project: Path, *words: str) -> None:
    told = ("git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b", *words)
    subprocess.run(told, check=True, capture_output=True)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_checkout_puts_there_stays(project: Path, name: str) -> None:
    """Though the command runs all the time."""
    git(project, "branch", "-M", "main")
    git(project, "checkout", "-qb", "other")
    (project / "sub").mkdir()
    (project / name).write_text("checked out")
    git(project, "add", "-fA")
    git(project, "commit", "-qm", "two")
    git(project, "checkout", "-q", "main")
    with begun(project, "while :; do :; done & ") as process:
        _follows(process, project)
        for _ in range(3):
            git(project, "checkout", "-q", "other")
            does(process, "sleep 0.1")
            assert (project / name).read_text() == "checked out"
            git(project, "checkout", "-q", "main")
        git(project, "checkout", "-q", "other")
        does(process, "kill %1")
        _, told = ended(process)
    assert (project / name).read_text() == "checked out"
    assert f"{name}` is protected" not in told or name == ".mcp.json"


def test_what_a_command_makes_is_moved(project: Path) -> None:
    with begun(project) as process:
        _follows(process, project)
        does(process, "echo evil > .envrc; sleep 0.1")
        until(lambda: not (project / ".envrc").exists())
        assert "is protected and was moved" in ended(process)[1]


def test_what_is_made_while_nothing_runs_inside_stays(project: Path) -> None:
    with begun(project) as process:
        _follows(process, project)
        until(lambda: _stays(project))
        assert ended(process)[0] == 0
    assert (project / ".envrc").read_text() == "mine"


def _stays(project: Path) -> bool:
    """Whether a file that is made now is left alone; the first ones may be made too early."""
    import time

    if not (project / ".envrc").exists():
        (project / ".envrc").write_text("mine")
    time.sleep(0.5)
    return (project / ".envrc").exists()


@pytest.mark.parametrize(("name", "expected"), [("a", True), ("b", False)])
def test_what_git_was_to_put_there(tmp_path: Path, name: str, expected: bool) -> None:
    (tmp_path / name).touch()
    assert is_expected(str(tmp_path), {str(tmp_path / "a")}) is expected


def test_what_is_beyond_what_is_looked_at_is_not_certain(tmp_path: Path) -> None:
    """Directories count, too: those without a file hid what lay after them."""
    for number in range(300):
        (tmp_path / str(number)).mkdir()
    (tmp_path / "a").touch()
    (tmp_path / "planted").touch()
    for name in ("a", "planted"):
        assert not is_expected(str(tmp_path), {str(tmp_path / name)})
