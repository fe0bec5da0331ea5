"""What calls destroyed comes back: content, modes, links, empty directories, git's own files."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from execpolicy.commands import undo_show
from execpolicy.undo import disk, restore
from execpolicy.undo.store import RecordedCall, Store
from tests.undo.destroying import DESTROYING
from tests.undo.worlds import Picture, destroy, made, picture, whole

CALLS = [text for texts in DESTROYING.values() for text in texts]
NEEDED = {"npm": "npm", "make": "make", "node": "node"}
"""Programs that a machine may not have, by how a call of one begins."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return made(tmp_path / "p")


class World:
    """A project that is as it was made whenever it is asked for."""

    def __init__(self, directory: Path) -> None:
        self._directory, self._number = directory, 0
        self._last: tuple[Path, Picture] | None = None

    def fresh(self) -> tuple[Path, Picture]:
        """The project, and how it looks."""
        if self._last is None or picture(self._last[0]) != self._last[1]:
            self._number += 1
            (self._directory / str(self._number)).mkdir()
            project = made(self._directory / f"{self._number}/p")
            self._last = project, picture(project)
        return self._last


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


def held(store: Store, text: str, cwd: Path) -> int:
    """Do a call, with a snapshot before; its number."""
    taken = store.take(RecordedCall(text, str(cwd), needed=True))
    assert taken.manifest.whole
    destroy(text, cwd)
    store.end(taken.manifest)
    return taken.manifest.number


def taken_back(store: Store) -> list[tuple[str, str]]:
    """Undo the last call; what was left."""
    plan = restore.taken(store, restore.candidates(store)[0], RecordedCall("undo", ""))
    assert not plan.changed
    assert not plan.impossible
    return restore.undo(store, plan)


def test_a_project_of_which_nothing_is_kept_says_so(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    undo_show.listed(Store(str(project)), None, as_json=False)
    assert capsys.readouterr().out == "nothing is kept of this project\n"


def test_the_first_snapshot_holds_all(project: Path) -> None:
    store = Store(str(project))
    before = picture(project)
    held(store, "rm -rf * .[!.]* && mkdir src", project)
    assert taken_back(store) == []
    assert picture(project) == before
    assert whole(project) == ""


def test_there_are_calls_of_twelve_kinds() -> None:
    assert len(DESTROYING) == 12
    assert len({*CALLS}) == len(CALLS) >= 200


@pytest.mark.parametrize("text", CALLS)
def test_a_call_is_undone(world: World, text: str) -> None:
    if any(text.startswith(begin) and not shutil.which(p) for begin, p in NEEDED.items()):
        pytest.skip("NOT TESTED, the program is not here")
    project, before = world.fresh()
    store = Store(str(project))
    held(store, text, project)
    assert picture(project) != before, "the call does nothing"
    assert taken_back(store) == []
    assert picture(project) == before
    assert whole(project) == ""


def test_all_names_of_a_file_come_back(tmp_path: Path) -> None:
    project = tmp_path / "p"
    project.mkdir()
    (project / "notes").write_text("mine\n")
    store = Store(str(project))
    for text in ("chmod 600 notes", "echo x > twin", "rm notes twin"):
        (project / "twin").unlink(missing_ok=True)
        os.link(project / "notes", project / "twin")
        before = picture(project)
        held(store, text, project)
        assert taken_back(store) == []
        assert picture(project) == before


def _sequence(project: Path, drawn: random.Random) -> None:
    """A row of calls, undone one by one, with what a person does in between not there."""
    store = Store(str(project))
    states = {}
    for _ in range(drawn.randint(2, 6)):
        before = picture(project)
        states[held(store, drawn.choice(CALLS), project)] = before
    while found := restore.candidates(store):
        assert taken_back(store) == []
        assert picture(project) == states[found[0]]
    assert picture(project) == states[min(states)]


def _sequences(world: World, monkeypatch: pytest.MonkeyPatch, seed: int, count: int) -> None:
    for number in range(count):
        project, _ = world.fresh()
        monkeypatch.setenv("XDG_STATE_HOME", str(project.parent / f"state{seed}-{number}"))
        _sequence(project, random.Random(1000 * seed + number))  # noqa: S311
    assert whole(project) == ""


@pytest.mark.parametrize("seed", range(2))
def test_a_row_of_calls_is_undone_one_by_one(
    world: World, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    _sequences(world, monkeypatch, seed, 3)


@pytest.mark.rest
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_rows_of_calls_are_undone_one_by_one(
    world: World, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    _sequences(world, monkeypatch, seed, 20)


def test_an_undo_is_undone(project: Path) -> None:
    store = Store(str(project))
    number = held(store, "rm -rf src; echo x > made", project)
    after = picture(project)
    plan = restore.taken(store, number, RecordedCall("undo", ""))
    restore.undo(store, plan)
    again = restore.taken(store, plan.own.number, RecordedCall("undo", ""))
    assert restore.undo(store, again) == []
    assert picture(project) == after
    assert restore.candidates(store) == [number]


def until_later(clock: Path, then: int) -> None:
    """Wait until the clock of the kernel, by which it stamps files, is past a time."""
    while True:
        clock.write_text("")
        if clock.stat().st_ctime_ns > then:
            return


Change = Callable[[Path], object]


@pytest.mark.parametrize(
    ("what", "change", "path"),
    [
        ("wrote on in a file", lambda p: (p / "src/a.py").write_text("mine\n"), "src/a.py"),
        ("made a file anew", lambda p: (p / "notes.txt").write_text("mine\n"), "notes.txt"),
        ("changed what was made", lambda p: (p / "made").write_text("mine\n"), "made"),
        ("made a link", lambda p: (p / "notes.txt").symlink_to("mine"), "notes.txt"),
    ],
)
@pytest.mark.parametrize("later", [False, True], ids=["at once", "after another call"])
def test_what_a_person_changed_since_is_asked_about(
    project: Path, what: str, change: Change, path: str, later: bool
) -> None:
    store = Store(str(project))
    number = held(store, "rm notes.txt; echo x >> src/a.py; echo x > made; rm .hidden", project)
    until_later(project.parent / "clock", store.ended(number) or 0)
    change(project)
    mine = picture(project)[path.encode()]
    if later:
        held(store, "true", project)
    plan = restore.taken(store, number, RecordedCall("undo", ""))
    assert [step.path for step in plan.changed] == [path]
    restore.undo(store, plan)
    assert picture(project)[path.encode()] == mine
    assert (project / ".hidden").exists()


def test_what_changes_while_the_user_thinks_is_left(project: Path) -> None:
    store = Store(str(project))
    number = held(store, "rm notes.txt; echo x > src/a.py", project)
    plan = restore.taken(store, number, RecordedCall("undo", ""))
    (project / "notes.txt").write_text("mine\n")
    (project / "src/a.py").write_text("mine\n")
    assert {path for path, _ in restore.undo(store, plan)} == {"notes.txt", "src/a.py"}
    assert (project / "notes.txt").read_text() == (project / "src/a.py").read_text() == "mine\n"


@pytest.mark.parametrize("text", ["rm notes.txt", "echo x > notes.txt"])
def test_what_is_typed_while_it_is_brought_back_is_left(
    project: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    store = Store(str(project))
    number = held(store, text, project)
    plan = restore.taken(store, number, RecordedCall("undo", ""))
    make = disk._make

    def typed(*arguments: "Any") -> None:
        make(*arguments)
        (project / "notes.txt").write_text("mine\n")

    monkeypatch.setattr(disk, "_make", typed)
    assert [path for path, _ in restore.undo(store, plan)] == ["notes.txt"]
    assert (project / "notes.txt").read_text() == "mine\n"
    assert not [*project.glob(".execpolicy-undo-*")]


def test_nothing_takes_the_place_of_what_appears_at_the_last_moment(tmp_path: Path) -> None:
    (tmp_path / "made").write_text("ours\n")
    (tmp_path / "name").write_text("mine\n")
    directory = os.open(tmp_path, os.O_RDONLY)
    try:
        assert not disk._appear(directory, "made", "name")
    finally:
        os.close(directory)
    assert (tmp_path / "name").read_text() == "mine\n"
    assert not (tmp_path / "made").exists()


def test_single_paths_are_brought_back(project: Path) -> None:
    store = Store(str(project))
    number = held(store, "rm -rf src notes.txt", project)
    plan = restore.taken(store, number, RecordedCall("undo", ""), only=("src",))
    assert restore.undo(store, plan) == []
    assert (project / "src/a.py").exists()
    assert not (project / "notes.txt").exists()
    assert restore.candidates(store) == [number]
