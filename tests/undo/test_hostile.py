"""What a hostile project has: nothing of it runs, hangs, or is written to, and nothing outside."""

import os
import shutil
import socket
import stat
import threading
from pathlib import Path

import pytest

from execpolicy.support import directories
from execpolicy.undo import restore, scan
from execpolicy.undo.objects import LostError
from execpolicy.undo.removed import removed
from execpolicy.undo.store import Limits, RecordedCall, Store, Taken, UndoError
from tests.undo.worlds import picture, sh

NEEDED = RecordedCall("rm", "/", needed=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "p"
    made.mkdir()
    (made / "a").write_text("a\n")
    return made


def _digest(taken: Taken, path: str, name: str) -> str:
    return str((taken.scan.found[path][1] or {})[name][-1])


def undone(store: Store, number: int) -> list[tuple[str, str]]:
    plan = restore.taken(store, number, RecordedCall("undo", ""))
    return restore.undo(store, plan)


def test_nothing_that_git_would_run_runs(project: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    sh(
        f"git init -q && git config core.fsmonitor 'touch {ran}; false'"
        f" && git config filter.x.clean 'touch {ran}; cat' && echo '* filter=x' > .gitattributes"
        f" && git config core.hooksPath hooks && mkdir hooks"
        f" && printf '#!/bin/sh\\ntouch {ran}\\n' > hooks/post-checkout && chmod +x hooks/*",
        project,
        check=True,
    )
    ran.unlink(missing_ok=True)
    store = Store(str(project))
    taken = store.take(NEEDED)
    sh("rm -rf a .gitattributes hooks", project)
    store.end(taken.manifest)
    assert undone(store, taken.manifest.number) == []
    assert not ran.exists()


def test_links_are_not_followed(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret\n")
    (project / "out").symlink_to(outside)
    (project / "file").symlink_to(outside / "secret")
    store = Store(str(project))
    taken = store.take(NEEDED)
    assert taken.manifest.whole
    held = {store.objects.get(name) for name in store.objects.names()}
    assert b"secret\n" not in held


@pytest.mark.parametrize("when", ["before the plan", "after the plan"])
def test_nothing_outside_is_written_through_a_link_in_the_way(
    project: Path, tmp_path: Path, when: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "d").mkdir()
    (project / "d/x").write_text("x")
    store = Store(str(project))
    taken = store.take(NEEDED)
    sh("rm -rf d", project)
    store.end(taken.manifest)
    if when == "before the plan":
        (project / "d").symlink_to(outside)
    plan = restore.taken(store, taken.manifest.number, RecordedCall("undo", ""))
    plan = plan.replace(steps=(*plan.steps, *plan.changed))
    if when == "after the plan":
        (project / "d").symlink_to(outside)
        assert {path for path, _ in restore.undo(store, plan)} == {"d", "d/x"}
    else:
        restore.undo(store, plan)
    assert os.listdir(outside) == []


def test_pipes_sockets_and_devices_are_noted_and_never_opened(project: Path) -> None:
    os.mkfifo(project / "pipe", 0o640)
    server = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(project)
    server.bind("socket")
    os.chdir(here)
    store = Store(str(project))
    taken = store.take(NEEDED)
    (project / "pipe").unlink()
    (project / "socket").unlink()
    server.close()
    store.end(taken.manifest)
    plan = restore.taken(store, taken.manifest.number, RecordedCall("undo", ""))
    assert [path for path, _ in plan.impossible] == ["socket"]
    assert restore.undo(store, plan) == []
    assert stat.S_ISFIFO((project / "pipe").stat().st_mode)
    assert (project / "pipe").stat().st_mode & 0o777 == 0o640


def test_a_file_that_never_stops_growing_is_bounded(project: Path) -> None:
    ends = threading.Event()

    def grow() -> None:
        with (project / "log").open("ab", buffering=0) as file:
            while not ends.is_set():
                file.write(b"x" * 4096)

    writer = threading.Thread(target=grow)
    writer.start()
    store = Store(str(project), Limits(size=1 << 22))
    try:
        taken = store.take(NEEDED)
        assert taken.manifest.whole or "log" in taken.manifest.unheld
    except UndoError:
        assert store.refused()
    finally:
        ends.set()
        writer.join()


@pytest.mark.parametrize(
    ("what", "make"),
    [
        ("a sparse file of a terabyte", lambda p: os.truncate(_new(p / "big"), 1 << 40)),
        ("a file above the bound", lambda p: (p / "big").write_bytes(b"x" * (1 << 18))),
    ],
)
def test_a_file_that_is_too_large_makes_it_not_whole(
    project: Path, what: str, make: object
) -> None:
    make(project)  # type: ignore[operator]
    store = Store(str(project), Limits(size=1 << 19))
    taken = store.take(NEEDED)
    assert not taken.manifest.whole
    assert taken.manifest.unheld == ("big",)


def _new(path: Path) -> Path:
    path.touch()
    return path


def test_more_than_the_bound_is_refused_and_told(project: Path) -> None:
    for number in range(40):
        (project / f"f{number}").write_bytes(os.urandom(1 << 14))
    store = Store(str(project), Limits(size=1 << 18))
    with pytest.raises(UndoError, match="more than the store may hold"):
        store.take(NEEDED)
    assert "more than" in store.refused()
    sh("rm f*", project)
    store.take(NEEDED)
    assert store.refused() == ""


def test_a_tree_that_is_too_deep_makes_it_not_whole(project: Path) -> None:
    here = Path.cwd()
    os.chdir(project)
    for _ in range(scan.MAX_DEPTH + 5):
        os.mkdir("d")
        os.chdir("d")
    os.chdir(here)
    assert not Store(str(project)).take(NEEDED).manifest.whole


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_cannot_be_read_makes_it_not_whole(project: Path) -> None:
    (project / "a").chmod(0)
    assert not Store(str(project)).take(NEEDED).manifest.whole


def test_what_was_quarantined_is_in_no_snapshot(project: Path) -> None:
    (project / f".execpolicy-quarantine-{'0123' * 4}").write_text("planted")
    store = Store(str(project))
    taken = store.take(NEEDED)
    names = {name for _, listing, _ in taken.scan.found.values() for name in listing or ()}
    assert names == {"a"}


def test_names_of_any_bytes_come_back(project: Path) -> None:
    for name in (b"new\nline", b"\xff\xfe", b"-rf", b"a\\b", b"git~1", b" ", "é".encode()):
        Path(os.fsdecode(os.fsencode(project) + b"/" + name)).write_bytes(name)
    before = picture(project)
    store = Store(str(project))
    taken = store.take(NEEDED)
    sh("find . -mindepth 1 -delete", project)
    store.end(taken.manifest)
    assert undone(store, taken.manifest.number) == []
    assert picture(project) == before


def test_only_the_user_can_open_the_store(project: Path) -> None:
    old = os.umask(0)
    try:
        store = Store(str(project))
        store.end(store.take(NEEDED).manifest)
    finally:
        os.umask(old)
    for directory, names, files in os.walk(directories.undo()):
        for name in (*names, *files):
            state = (Path(directory) / name).lstat()
            assert not state.st_mode & 0o077, name


def test_a_damaged_object_is_never_brought_back(project: Path) -> None:
    store = Store(str(project))
    taken = store.take(NEEDED)
    digest = _digest(taken, "", "a")
    Path(store.objects.path(digest)).write_text("planted\n")
    (project / "a").unlink()
    store.end(taken.manifest)
    with pytest.raises(LostError):
        store.objects.get(digest)
    assert [path for path, _ in undone(store, taken.manifest.number)] == ["a"]
    assert not (project / "a").exists()
    assert os.listdir(project) == []


PLANTED = ["read", "state", "refused", "pending", "snapshots/00000001", "snapshots/00000001.end"]


@pytest.mark.parametrize("name", PLANTED)
def test_a_pipe_in_the_store_is_not_waited_for(project: Path, name: str) -> None:
    store = Store(str(project))
    store.end(store.take(NEEDED).manifest)
    (Path(store.directory) / name).unlink(missing_ok=True)
    os.mkfifo(Path(store.directory) / name)
    restore.finish(store)
    assert not store.refused()
    assert store.ended(1) is None or name != PLANTED[-1]
    if name == "state":
        with pytest.raises(UndoError):
            store.take(NEEDED)
    else:
        assert store.take(NEEDED).manifest.number == 2


@pytest.mark.parametrize("name", ["", "objects", "objects/new", "objects/packs", "snapshots"])
def test_a_link_in_the_store_leads_nowhere(project: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_text("mine\n")
    store = Store(str(project))
    store.take(NEEDED)
    planted = Path(store.directory) / name
    shutil.rmtree(planted)
    planted.symlink_to(outside)
    with pytest.raises(UndoError, match="not a directory of yours"):
        store.take(NEEDED)
    assert os.listdir(outside) == ["mine"]


def test_a_link_among_the_objects_leads_nowhere(project: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine\n")
    store = Store(str(project))
    digest = _digest(store.take(NEEDED), "", "a")
    shutil.rmtree(Path(store.objects.path(digest)).parent)
    Path(store.objects.path(digest)).parent.symlink_to(tmp_path)
    (project / "b").write_text("a\n")
    with pytest.raises(UndoError, match="not a directory of yours"):
        store.take(NEEDED)
    with store.locked():
        store.prune(everything=True)
    assert (tmp_path / "mine").exists()


def test_a_planted_promise_leads_nowhere(project: Path, tmp_path: Path) -> None:
    store = Store(str(project))
    digest = _digest(store.take(NEEDED), "", "a")
    wanted = ("f", 0o644, os.geteuid(), os.getegid(), 2, 1, 1, 1, digest)
    paths = ("../evil", f"{tmp_path}/evil", "x/../../evil", "x/\0")
    (project / "x").mkdir()
    store.promise((1, [(path, wanted, None) for path in paths]))
    assert {path for path, _ in restore.finish(store)} == {*paths}
    assert not (tmp_path / "evil").exists()


def test_what_another_name_of_an_object_changed_is_kept_anew(project: Path) -> None:
    store = Store(str(project))
    digest = _digest(store.take(NEEDED), "", "a")
    (project / "a").unlink()
    os.link(store.objects.path(digest), project / "a")
    (project / "a").write_text("b\n")
    (project / "b").write_text("a\n")
    store.take(NEEDED)
    assert store.objects.get(digest) == b"a\n"


def test_names_like_ours_are_the_users(project: Path) -> None:
    (project / ".execpolicy-undo-notes").write_text("mine\n")
    (project / ".execpolicy-quarantine-all").mkdir()
    (project / ".execpolicy-quarantine-all/notes").write_text("mine\n")
    store = Store(str(project))
    number = store.take(NEEDED).manifest.number
    sh("rm -r a .execpolicy-undo-notes .execpolicy-quarantine-all", project)
    store.end(store.manifest(number))
    (project / ".execpolicy-undo-list").write_text("mine\n")
    assert undone(store, number) == []
    ours = ("quarantine-all", "undo-list", "undo-notes")
    assert sorted(os.listdir(project)) == [*(f".execpolicy-{name}" for name in ours), "a"]
    assert (project / ".execpolicy-quarantine-all/notes").exists()


def test_a_path_too_long_for_one_look_is_not_gone(project: Path) -> None:
    here = Path.cwd()
    os.chdir(project)
    for _ in range(25):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    Path("file").touch()
    os.chdir(here)
    taken = Store(str(project)).take(NEEDED)
    assert taken.manifest.whole
    assert removed(str(project), taken.scan.found) == 0


@pytest.mark.parametrize("name", PLANTED[:-1])
@pytest.mark.parametrize("data", [b"", b"garbage", b"\xff" * 100, b"N"])
def test_a_damaged_store_is_no_crash(project: Path, name: str, data: bytes) -> None:
    store = Store(str(project))
    store.take(NEEDED)
    (Path(store.directory) / name).write_bytes(data)
    restore.finish(store)
    assert store.take(NEEDED).manifest.number >= 1
    assert restore.candidates(store)


def test_a_change_right_after_a_snapshot_is_seen(project: Path) -> None:
    """The same size, the same inode, and perhaps the same time."""
    store = Store(str(project))
    for number in range(50):
        (project / "a").write_text(f"{number:02}")
        taken = store.take(RecordedCall("x", "/"))
        digest = _digest(taken, "", "a")
        assert store.objects.get(digest) == f"{number:02}".encode()


def test_a_change_of_what_was_left_out_is_seen_later(project: Path) -> None:
    (project / "build").mkdir()
    store = Store(str(project))

    def is_generated(path: str) -> bool:
        return path.endswith("/build")

    for number in range(20):
        (project / "build/a").write_text(f"{number:02}")
        store.take(RecordedCall("full", "/", needed=True), is_generated)
        (project / "build/a").write_text(f"{number + 50:02}")
        store.take(RecordedCall("x", "/"), is_generated)
        taken = store.take(RecordedCall("full", "/", needed=True), is_generated)
        digest = _digest(taken, "build", "a")
        assert store.objects.get(digest) == f"{number + 50:02}".encode()


def test_what_a_build_makes_again_is_left_as_it_is(project: Path) -> None:
    (project / "build").mkdir()
    (project / "build/a").write_text("1")
    store = Store(str(project))
    taken = store.take(RecordedCall("x", "/"), lambda path: path.endswith("/build"))
    (project / "build/a").write_text("2")
    (project / "a").unlink()
    store.end(taken.manifest)
    assert undone(store, taken.manifest.number) == []
    assert (project / "a").exists()
    assert (project / "build/a").read_text() == "2"
