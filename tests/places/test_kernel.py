"""A path is where the kernel opens, makes or removes it: the kernel itself is asked."""

import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.places.disk import Disk
from execpolicy.places.walk import MAX_LINKS
from tests.places.trees import compared, opened

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel through /proc")


def test_random_trees() -> None:
    assert compared(seed=7, count=200) > 1200


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_twenty_thousand_random_trees(seed: int) -> None:
    assert compared(seed=1000 + seed, count=1000) > 7000


def _with_bind_mounts(count: int) -> int:
    words = [sys.executable, "-m", "tests.places.trees", "11", str(count)]
    if subprocess.run(["unshare", "-Urm", "true"], capture_output=True).returncode:
        pytest.skip("no user namespace may be made here, so no bind mount either")
    done = subprocess.run(["unshare", "-Urm", *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_bind_mounts() -> None:
    assert _with_bind_mounts(20) > 100


@pytest.mark.slow
def test_bind_mounts_of_many_trees() -> None:
    assert _with_bind_mounts(2000) > 10_000


@pytest.mark.parametrize("count", [MAX_LINKS - 1, MAX_LINKS, MAX_LINKS + 1])
def test_as_many_links_as_the_kernel_follows(tmp_path: Path, count: int) -> None:
    (tmp_path / "0").write_text("")
    for number in range(1, count + 1):
        (tmp_path / str(number)).symlink_to(str(number - 1))
    path = str(tmp_path / str(count))
    place = Disk().locate(path)
    assert place.real == opened(path, 0)
    assert (place.problem == "loop") is (count > MAX_LINKS)


PROBLEMS = [
    ("/tmp/" + "a" * 255, None),
    ("/tmp/" + "a" * 256, "too long"),
    ("/tmp/" + "é" * 128, "too long"),
    ("/tmp/" + "a/" * 2045, None),
    ("/tmp/" + "a/" * 2046, "too long"),
    ("/tmp/" + "./" * 2046 + "x", "too long"),
    ("/tmp/\0", "not a path"),
    ("/tmp/\ud800", "not a path"),
    ("tmp", "not a path"),
    ("/proc/self/fd/0", "process"),
    ("/dev/fd/0", "process"),
    ("/dev/stdin", "process"),
    ("/proc/self/cwd/x", "process"),
    ("/proc/1/root/etc/passwd", "process"),
    ("/proc/self/../meminfo", None),
    ("/proc/meminfo", None),
    ("/dev/null", None),
]


@pytest.mark.parametrize(("path", "problem"), PROBLEMS)
def test_problem(path: str, problem: str | None) -> None:
    assert Disk().locate(path).problem == problem


def test_a_link_into_a_process_is_the_text_of_it(tmp_path: Path) -> None:
    """Followed, it would lead to the files of this process, and not of the tool's."""
    (tmp_path / "x").symlink_to("/proc/self/cwd/sub")
    place = Disk().locate(str(tmp_path / "x" / "y"))
    assert (place.real, place.problem) == ("/proc/self/cwd/sub/y", "process")
