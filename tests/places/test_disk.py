"""Where a path leads is where the kernel opens it."""

import os
import random
import tempfile
from pathlib import Path

import pytest

from execpolicy.places.disk import Disk

NAMES = ("a", "b", "c", "link", "..", ".")


def made(root: Path, rng: random.Random) -> None:
    """Directories, files and links to anything, among them loops and links to nothing."""
    directories = [root]
    for _ in range(rng.randrange(3, 12)):
        at = rng.choice(directories) / rng.choice(("a", "b", "c", "link"))
        if os.path.lexists(at):
            continue
        kind = rng.random()
        if kind < 0.4:
            at.mkdir()
            directories.append(at)
        elif kind < 0.6:
            at.write_text(str(at))
        else:
            target = "/".join(rng.choice(NAMES) for _ in range(rng.randrange(1, 4)))
            at.symlink_to(rng.choice((target, str(root / target))))


def opened(path: str) -> str | None:
    """Where the kernel makes or opens a file of this name; None where it does neither."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    except IsADirectoryError:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks the kernel through /proc")
def test_located_where_the_kernel_opens_it() -> None:
    rng = random.Random(7)  # noqa: S311
    seen = 0
    for _ in range(150):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            made(root, rng)
            for _ in range(12):
                names = "/".join(rng.choice(NAMES) for _ in range(rng.randrange(1, 6)))
                path = f"{root}/{names}"
                place = Disk().locate(path)
                at = opened(path)
                if at is not None:
                    assert place.real == at, path
                    seen += 1
                if place.problem == "loop":
                    assert at is None
    assert seen > 500


@pytest.mark.parametrize(
    ("path", "problem"),
    [("/tmp/" + "a" * 300, "too long"), ("/tmp/\0", "not a path")],
)
def test_problem(path: str, problem: str) -> None:
    assert Disk().locate(path).problem == problem


def test_a_link_to_what_is_not_there_leads_there(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to(tmp_path / "out" / "new")
    (tmp_path / "out").mkdir()
    assert Disk().locate(str(tmp_path / "x")).real == str(tmp_path / "out" / "new")


def test_below_ends_at_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(20):
        (tmp_path / str(n)).write_text("")
    monkeypatch.setattr("execpolicy.places.disk.MAX_BELOW", 20)
    assert len(Disk().below(str(tmp_path), False) or ()) == 20
    (tmp_path / "more").write_text("")
    assert Disk().below(str(tmp_path), False) is None


def test_visible_leaves_out_what_is_hidden_or_ignored(tmp_path: Path) -> None:
    for name in ("a", ".hidden", "out/b", ".git/HEAD"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / ".gitignore").write_text("# built\nout/\n")
    assert Disk().below(str(tmp_path), True) == (str(tmp_path / "a"),)
    (tmp_path / ".ignore").write_text("!.hidden\n")
    assert str(tmp_path / ".hidden") in (Disk().below(str(tmp_path), True) or ())


def test_a_pipe_among_the_lists_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    os.mkfifo(tmp_path / ".gitignore")
    assert str(tmp_path / "a") in (Disk().below(str(tmp_path), True) or ())


def test_a_directory_that_opens_and_cannot_be_listed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`/proc/1/map_files` opens for root, and to list it is refused."""
    import os
    from collections.abc import Iterator

    from execpolicy.places.trees import walk

    class Refusing:
        def __enter__(self) -> "Iterator[object]":
            raise PermissionError

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(os, "scandir", lambda _: Refusing())
    assert walk(str(tmp_path), False, 10) == ((), True)
