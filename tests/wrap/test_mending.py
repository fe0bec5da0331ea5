"""What another process puts in the place of a covered path is covered again, in a session, too."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from execpolicy.sandbox.backends.mounts import cover
from execpolicy.sandbox.walls import Mount, Wall
from tests.sandbox.test_mending import CHANGES, READ, READS, Running, covered, does, ended
from tests.waiting import Process
from tests.wrap.support import environment, words


@contextmanager
def begun(project: Path) -> "Iterator[Running]":
    """A command of a wrapped shell that waits for what to do."""
    agent = ["bash", "-c", 'bash -c "$0"', READS.format(before="")]
    with Process(words(project, agent), cwd=project, env=environment(), stdin=subprocess.PIPE,
                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"begun\n"
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("shim", ["C", "Python"], indirect=True)
def test_covers_are_put_on_again_and_the_command_goes_on(
    project: Path, home: Path, shim: str
) -> None:
    (project / "sub").mkdir()
    places = [
        path.replace("P/", f"{project}/").replace("H/", f"{home}/") for _, path, *_ in CHANGES
    ]
    for path in places:
        Path(path).write_text("old")
    with begun(project) as process:
        for path, (_, _, change, wanted) in zip(places, CHANGES, strict=True):
            for _ in range(2):
                change(Path(path))
                covered(process, Path(path), wanted)
        assert does(process, "echo on").startswith("on\n")
        code, told = ended(process)
    assert code == 0, told
    assert "was ended" not in told
    assert {Path(path).read_text() for path in places} == {"secret"}


def test_directories_are_covered_again(project: Path, home: Path) -> None:
    for path in ("sub", ".husky", "sub/.husky"):
        (project / path).mkdir()
    (project / "sub/.envrc").touch()
    with begun(project) as process:
        for number in range(2):
            (project / ".husky").rename(project / f"h{number}")
            (project / ".husky").mkdir()
            (project / ".husky/pre-commit").touch()
            covered(process, project / ".husky/pre-commit", READ)
            (project / "sub/.husky").rename(project / f"sub/h{number}")
            (project / "sub/.husky").mkdir()
            covered(process, project / "sub/.husky", READ)
            assert "busy" in does(process, "mv sub moved")
            (project / "sub").rename(project / f"s{number}")
            (project / "sub").mkdir()
            (project / "sub/.envrc").write_text("secret")
            (project / "sub/.husky").mkdir()
            covered(process, project / "sub/.envrc", READ)
            covered(process, project / "sub/.husky", READ)
        code, told = ended(process)
    assert code == 0, told


def test_a_directory_is_held_anew_with_what_is_covered_in_it(project: Path, home: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub/.envrc").touch()
    pin = Mount(str(project / "sub"), Wall.WRITE, "holds a protected path", pin=True)
    with begun(project) as process:
        assert cover(inner(), [pin]) == [True]
        covered(process, project / "sub/.envrc", READ)
        assert "busy" in does(process, "mv sub moved")


def inner() -> int:
    """The command's process, as this machine numbers it."""
    begins = f"bash\0-c\0{READS.format(before='')}".encode()
    for one in Path("/proc").glob("[0-9]*"):
        try:
            if begins in (one / "cmdline").read_bytes() and (one / "exe").readlink().name == "bash":
                return int(one.name)
        except OSError:  # it has ended
            continue
    raise LookupError
