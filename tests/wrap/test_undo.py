"""What a command of a wrapped session destroys is kept before, and comes back."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.undo.store import Store
from tests.undo.worlds import picture
from tests.waiting import HANG_SECONDS
from tests.wrap.support import environment, wrapped

DEVELOPER = Path(__file__).parents[2] / "rules/presets/developer.rules"


@pytest.fixture(autouse=True)
def rules(project: Path, home: Path) -> None:
    """The rules by which what can be undone passes, and work that no commit has."""
    (project.parent / "a.rules").write_text(DEVELOPER.read_text())
    (project / "notes").write_text("nobody has this\n")
    (project / "a.txt").write_text("changed\n")


def undo(project: Path) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "execpolicy", "undo", "--yes"],
        cwd=project,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=HANG_SECONDS,
    )


@pytest.mark.parametrize(
    "text", ["rm notes a.txt", "bash -c 'rm -r notes'", "git reset --hard -q", "git clean -qfdx"]
)
def test_a_command_destroys_and_it_comes_back(project: Path, text: str) -> None:
    before = picture(project)
    done = wrapped(project, f"{text}; exit $?")
    assert done.returncode == 0, done.stderr
    assert picture(project) != before
    assert undo(project).returncode == 0
    assert picture(project) == before


def test_the_snapshot_says_which_agent_did_it(project: Path) -> None:
    done = wrapped(project, "rm notes")
    assert b"1 file was removed: `execpolicy undo 1` brings back what was" in done.stderr
    (kept,) = Store(str(project)).manifests()
    assert (kept.call.command, kept.call.agent, kept.call.needed) == ("rm notes", "bash", True)
    assert kept.call.session


def test_what_only_reads_takes_no_snapshot(project: Path) -> None:
    assert wrapped(project, "cat notes; ls").returncode == 0
    assert Store(str(project)).numbers() == []


def test_it_asks_where_the_snapshot_is_not_whole(project: Path) -> None:
    with (project / "big").open("wb") as big:
        os.truncate(big.fileno(), 1 << 40)
    done = wrapped(project, "rm notes; exit $?")
    assert done.returncode == 123, done.stderr
    assert b"cannot be undone: a snapshot cannot hold `big`" in done.stderr
    assert (project / "notes").exists()


def test_what_destroys_nothing_passes_without_one(project: Path, home: Path) -> None:
    (home / ".config/execpolicy").mkdir(parents=True)
    (home / ".config/execpolicy/config.toml").write_text("undo = false\n")
    done = wrapped(project, "touch made && rm notes; exit $?")
    assert done.returncode == 123, done.stderr
    assert (project / "made").exists()
    assert (project / "notes").exists()


UNDO = "sh -c 'execpolicy undo {}'"


def test_an_agent_takes_back_its_own_call(project: Path) -> None:
    done = wrapped(project, f"rm notes; {UNDO.format('--list')}; {UNDO.format('')}; exit $?")
    assert done.returncode == 0, done.stderr
    assert b"rm notes" in done.stdout
    assert b"taken back: 1" in done.stdout
    assert (project / "notes").read_text() == "nobody has this\n"
    again = wrapped(project, f"{UNDO.format('')}; {UNDO.format(1)}; exit $?")
    assert again.returncode == 2, "another session takes none of them back"
    assert b"there is no call to take back" in again.stderr
    assert b"of its own session alone" in again.stderr


def test_an_agent_neither_prunes_nor_touches_what_is_the_users(project: Path) -> None:
    (project / ".env").write_text("KEY=1\n")
    prune, again = UNDO.format("--prune"), UNDO.format("--cwd / 1")
    done = wrapped(project, f"touch mine; {prune}; echo $?; {UNDO.format('')}; {again}; exit $?")
    assert b"2\n" in done.stdout
    assert b"only the user removes what can be brought back" in done.stdout
    assert done.returncode != 0, "not of another directory"
    assert not (project / "mine").exists()
    assert (project / ".env").exists()
