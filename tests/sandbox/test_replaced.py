"""What is saved while a run ends costs it nothing where it was not opened, and what git puts there
then stays."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest

from execpolicy.sandbox.backends import mounts
from execpolicy.sandbox.backends.process_tree import is_stopped
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.leftovers.replaced import Replaced, Touched
from execpolicy.sandbox.leftovers.watch import Watch
from execpolicy.sandbox.walls import Mount, Wall
from tests.sandbox.test_mending import HIDDEN, READ, again, begun, covered, does, ended, saved
from tests.sandbox.test_run import run
from tests.waiting import until


def held(process: "subprocess.Popen[bytes]") -> None:
    """Stop the launcher."""
    process.send_signal(signal.SIGSTOP)
    until(lambda: is_stopped(process.pid))


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


def _written(path: Path) -> None:
    saved(path)
    path.write_text("more")


PUT: list[tuple[str, Callable[[Path], None], Touched]] = [
    ("as an editor does", saved, Touched.REPLACED),
    ("twice", _twice, Touched.UNKNOWN),
    ("and read", _and_read, Touched.OPENED),
    ("and written", _written, Touched.UNKNOWN),
    ("and read by another name", _linked, Touched.UNKNOWN),
    ("and moved away", _moved_away, Touched.UNKNOWN),
    ("after it was removed", again, Touched.UNKNOWN),
    ("by who wrote it there", _made, Touched.UNKNOWN),
    ("before", lambda path: None, Touched.UNKNOWN),
]


@pytest.mark.parametrize(("what", "put", "known"), PUT, ids=[p[0] for p in PUT])
def test_what_was_done_to_it(
    tmp_path: Path, what: str, put: Callable[[Path], None], known: Touched
) -> None:
    file = tmp_path / "a"
    file.write_text("old")
    watch = Replaced([str(file)])
    put(file)
    assert watch.touched(str(file)) is known
    watch.close()


def test_what_was_done_before_it_was_covered_again_is_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "a"
    watch = Replaced([str(file)])
    _twice(file)
    watch.note()
    watch.settle(str(file))
    saved(file)
    assert watch.touched(str(file)) is Touched.REPLACED
    watch.close()


def test_nothing_is_known_where_the_directory_is_another(tmp_path: Path) -> None:
    """What is done in the one that was moved away is told by the names that it had."""
    file = tmp_path / "sub/a"
    file.parent.mkdir()
    watch = Replaced([str(file)])
    file.parent.rename(tmp_path / "away")
    file.parent.mkdir()
    file.write_text("planted")
    saved(tmp_path / "away/a")
    assert watch.touched(str(file)) is Touched.UNKNOWN
    watch.close()


@pytest.mark.parametrize(("begun", "known"), [(True, Touched.REPLACED), (False, Touched.UNKNOWN)])
def test_what_is_saved_twice_before_a_command_begins(
    tmp_path: Path, begun: bool, known: Touched
) -> None:
    """When nothing ran inside, the command had not begun if it runs later; else it had ended."""
    file = tmp_path / "a"
    watch = Replaced([str(file)])
    _twice(file)
    watch.note()
    watch.rest()
    watch.begun = begun
    assert watch.touched(str(file)) is known
    saved(file)
    assert watch.touched(str(file)) is Touched.UNKNOWN
    watch.close()


def test_nothing_is_known_of_what_the_kernel_did_not_keep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Replaced([str(tmp_path / "a")])
    with monkeypatch.context() as lost:
        lost.setattr(watch._inotify, "read", lambda: None)
        watch.note()
    saved(tmp_path / "a")
    assert watch.touched(str(tmp_path / "a")) is Touched.UNKNOWN
    watch.close()


def test_what_is_saved_while_a_run_is_prepared_is_covered(tmp_path: Path) -> None:
    """Nothing was mounted yet: what stands there when the watch begins is what gets the cover."""
    file, watch = _covered(tmp_path)
    saved(file)
    watch.begin()
    file.read_text()
    watch.over()
    watch.close(ran=True)
    assert (watch.lost, watch.told) == ([], {})


def test_what_was_replaced_before_a_second_try_is_covered_by_it(tmp_path: Path) -> None:
    """The first could not mount what was replaced at that moment, and nothing ran."""
    file, watch = _covered(tmp_path)
    for _ in range(2):
        watch.begin()
        _twice(file)
        watch.over()
    watch.begin()
    watch.over()
    watch.close(ran=True)
    assert (watch.lost, watch.told) == ([], {})


def _covered(directory: Path) -> tuple[Path, Watch]:
    """A file that a run covers, and the watch of its cover."""
    file = directory / ".env"
    file.write_text("old")
    return file, Watch(_none, "a", [str(file)])


def _none() -> Job:
    raise AssertionError("nothing is looked for")


def _while_held(process: "subprocess.Popen[bytes]", project: Path, text: str) -> None:
    """Have the command do something while the launcher sees nothing."""
    assert process.stdin is not None
    process.stdin.write(f"{text}; : > {project}/done; [ $last ] && exit 7\n".encode())
    process.stdin.flush()
    until(lambda: (project / "done").exists())


@pytest.mark.parametrize("before", ["", "sleep 0.3; "])
@pytest.mark.parametrize("is_read", [False, True])
def test_a_save_before_the_end_of_a_run_is_no_loss(
    project: Path, before: str, is_read: bool
) -> None:
    """It is told where somebody opened it, who may have been the command."""
    (project / ".env").write_text("old")
    with begun(project, before) as process:
        held(process)
        saved(project / ".env")
        if is_read:
            (project / ".env").read_text()
        inside = process_below(process)
        _while_held(process, project, "last=1")
        until(lambda: not os.path.exists(f"/proc/{inside}/ns/mnt"))
        process.send_signal(signal.SIGCONT)
        code, said = ended(process)
    assert (code, "may have read it" in said) == (7, is_read), said


PLANTED = ["mv planted .envrc", "echo planted >> .envrc", "rm .envrc; mv planted .envrc"]


@pytest.mark.parametrize("how", PLANTED)
@pytest.mark.parametrize("last", ["", "last=1; "])
def test_what_is_planted_where_a_wall_fell_is_told(project: Path, how: str, last: str) -> None:
    (project / ".envrc").write_text("old")
    (project / "planted").write_text("planted")
    with begun(project) as process:
        held(process)
        saved(project / ".envrc")
        _while_held(process, project, last + how)
        process.send_signal(signal.SIGCONT)
        if not last:
            covered(process, project / ".envrc", READ)
        code, said = ended(process)
    assert (code, "it is not known by whom" in said) == (7 if last else 0, True), said


def process_below(process: "subprocess.Popen[bytes]") -> int:
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
        assert mounts.cover(process_below(process), [one]) == [True]
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
