"""What is saved while a run ends costs it nothing where it was not opened, and what git puts there
then stays."""

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest

from execpolicy.sandbox.backends import mounts
from execpolicy.sandbox.leftovers.unread import Unread
from execpolicy.sandbox.walls import Mount, Wall
from tests.sandbox.test_mending import HIDDEN, READ, begun, does, ended, saved
from tests.sandbox.test_run import run


def _made(path: Path) -> None:
    path.write_text("secret")


def _twice(path: Path) -> None:
    _and_read(path)
    saved(path)


def _and_read(path: Path) -> None:
    saved(path)
    path.read_text()


def _moved_away(path: Path) -> None:
    saved(path)
    path.rename(path.with_name("away"))
    path.with_name("away").rename(path.with_name("b"))


def _linked(path: Path) -> None:
    saved(path)
    os.link(path, path.with_name("b"))


PUT: list[tuple[str, Callable[[Path], None], bool]] = [
    ("as an editor does", saved, True),
    ("twice", _twice, True),
    ("and read", _and_read, False),
    ("and read by another name", _linked, False),
    ("and moved away", _moved_away, False),
    ("by who wrote it there", _made, False),
    ("before", lambda path: None, False),
]


@pytest.mark.parametrize(("what", "put", "unread"), PUT, ids=[p[0] for p in PUT])
def test_what_nobody_opened(
    tmp_path: Path, what: str, put: Callable[[Path], None], unread: bool
) -> None:
    file = tmp_path / "a"
    file.write_text("old")
    watch = Unread([str(tmp_path)])
    put(file)
    assert watch.holds(str(file)) is unread
    watch.close()


def test_more_than_the_kernel_keeps_counts_as_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Unread([str(tmp_path)])
    saved(tmp_path / "a")
    watch.note()
    monkeypatch.setattr(watch._inotify, "read", lambda: None)
    assert not watch.holds(str(tmp_path / "a"))
    watch.close()


def _first(process: "subprocess.Popen[bytes]") -> int:
    """The first process of a run's own namespace."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            found = Path(f"/proc/{name}/status").read_text()
        except OSError:
            continue
        fields = dict(line.partition(":\t")[::2] for line in found.split("\n"))
        if fields["NSpid"].split()[-1] == "1" and _is_below(int(name), process.pid):
            return int(name)
    raise AssertionError("there is no such process")


def _is_below(process: int, above: int) -> bool:
    while process > 1 and process != above:
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return process == above


@pytest.mark.parametrize(
    ("name", "wall", "wanted"), [(".env", Wall.HIDDEN, HIDDEN), (".envrc", Wall.READ, READ)]
)
def test_a_cover_that_stands_is_one(project: Path, name: str, wall: Wall, wanted: str) -> None:
    """What was replaced before the run had its mounts is covered by them."""
    path = project / name
    path.write_text("secret")
    with begun(project) as process:
        one = Mount(str(path), wall, "", directory=False)
        assert mounts.cover(_first(process), [one]) == [True]
        said = does(process, f"cat {name}; echo >> {name}")
        assert ended(process)[0] == 0
    assert wanted in said
    assert "secret" not in said or wall is Wall.READ
    assert path.read_text() == "secret"


def test_git_that_is_at_work_when_a_run_ends_loses_nothing(project: Path) -> None:
    git, made = project / ".git", project / ".vscode/settings.json"
    made.parent.mkdir()
    made.write_text("checked out")
    staged = {**os.environ, "GIT_INDEX_FILE": str(git / "next")}
    subprocess.run(["git", "add", "-fA"], cwd=project, env=staged, check=True)
    made.unlink()
    made.parent.rmdir()

    def check_out() -> None:
        (git / "index.lock").touch()
        made.parent.mkdir()
        made.write_text("checked out")
        sleep(4)
        (git / "next").rename(git / "index")
        (git / "index.lock").unlink()

    at_work = threading.Timer(1.0, check_out)
    at_work.start()
    done = run(project, "-c", "while [ $SECONDS -lt 3 ]; do :; done")  # a run that does something
    at_work.join()
    assert (done.returncode, "moved" in done.stderr) == (0, False), done.stderr
    assert made.read_text() == "checked out"
