"""What a look at the real file system finds, and where it ends."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from execpolicy.model.place import Below
from execpolicy.places.disk import Disk
from execpolicy.places.resolver import MAX_HEAD
from execpolicy.places.walk import walk


def below(directory: str, visible: bool) -> tuple[str, ...]:
    found = Disk().below(directory, visible)
    return () if found is None else found.files


def links(directory: str) -> tuple[str, ...]:
    found = Disk().below(directory, False)
    return () if found is None else found.links


def test_a_link_to_what_is_not_there_leads_there(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to(tmp_path / "out" / "new")
    (tmp_path / "out").mkdir()
    assert Disk().locate(str(tmp_path / "x")).real == str(tmp_path / "out" / "new")


def test_below_ends_at_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(20):
        (tmp_path / str(n)).write_text("")
    monkeypatch.setattr("execpolicy.places.disk.MAX_BELOW", 20)
    assert len(below(str(tmp_path), False)) == 20
    (tmp_path / "more").write_text("")
    assert Disk().below(str(tmp_path), False) is None


def test_visible_leaves_out_what_is_hidden_or_ignored(tmp_path: Path) -> None:
    for name in ("a", ".hidden", "out/b", ".git/HEAD"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / ".gitignore").write_text("# built\nout/\n")
    assert below(str(tmp_path), True) == (str(tmp_path / "a"),)
    (tmp_path / ".ignore").write_text("!.hidden\n")
    assert str(tmp_path / ".hidden") in below(str(tmp_path), True)


@pytest.mark.parametrize(
    ("where", "line", "shown"),
    [
        ("", "!.env", True),
        ("sub", "!.env", True),
        ("sub", "!*", True),
        ("sub", "!/sub/.e*", True),
        ("sub", "!.[e]nv", True),
        ("..", "!.env", True),
        ("sub", ".env", False),
        ("sub", "!.gitkeep", False),
        ("", "!.env.example", False),
    ],
)
def test_what_a_list_shows_again_is_visible(
    tmp_path: Path, where: str, line: str, shown: bool
) -> None:
    top = tmp_path / "top"
    for name in ("sub/.env", "other/x"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("")
    (top / where / ".ignore").write_text(f"{line}\n")
    assert (f"{top}/sub/.env" in below(str(top), True)) is shown
    if shutil.which("rg"):
        found = subprocess.run(["rg", "--files"], cwd=top, capture_output=True).stdout
        assert shown or b"sub/.env" not in found


def test_links_are_found_however_deep(tmp_path: Path) -> None:
    (tmp_path / "a/.b").mkdir(parents=True)
    (tmp_path / "a/.b/link").symlink_to("/etc")
    (tmp_path / "x").write_text("")
    assert links(str(tmp_path)) == (f"{tmp_path}/a/.b/link",)
    assert links(f"{tmp_path}/none") == ()


def test_a_pipe_among_the_lists_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    os.mkfifo(tmp_path / ".gitignore")
    assert str(tmp_path / "a") in below(str(tmp_path), True)


def test_a_directory_that_opens_and_cannot_be_listed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`/proc/1/map_files` opens for root, and to list it is refused."""
    import os
    from collections.abc import Iterator

    from execpolicy.places.repository.trees import walk

    class Refusing:
        def __enter__(self) -> "Iterator[object]":
            raise PermissionError

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(os, "scandir", lambda _: Refusing())
    assert walk(str(tmp_path), False, 10) == (Below(), True)


@pytest.mark.parametrize(
    "path",
    [
        "none", "none/x", "folder/none", "folder/none/x/y", "none/", "folder//none/.",
        "link/none", "link/none/x", "dangling", "dangling/x", "folder/dangling/x", "file/x",
        "x" * 255, "x" * 256, "none/" + "x" * 256, "loop/none", "folder/é\udcff",
    ],
)  # fmt: skip
def test_what_is_not_there_is_located_as_by_a_walk(tmp_path: Path, path: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "dangling").symlink_to("gone")
    (tmp_path / "folder/dangling").symlink_to(tmp_path / "gone/x")
    (tmp_path / "loop").symlink_to("loop")
    for at in (f"{tmp_path}/{path}", path):
        walked = walk(at, os.readlink, True)
        found = Disk("").locate(at)
        assert (found.real, found.problem) == (walked.real, walked.problem)


def test_a_text_is_a_small_file_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "Makefile"
    path.write_text("a:\n\tls\n")
    assert Disk().text(str(path)) == "a:\n\tls\n"
    os.link(path, tmp_path / "other")
    assert Disk().text(str(path)) is None
    (tmp_path / "other").unlink()
    path.write_bytes(b"\xff")
    assert Disk().text(str(path)) is None
    path.write_text("#" * MAX_HEAD)
    assert Disk().text(str(path)) is None
    path.unlink()
    os.mkfifo(path)
    assert Disk().text(str(path)) is None
    assert Disk().text(str(tmp_path)) is None
