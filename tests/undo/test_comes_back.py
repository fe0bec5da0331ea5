"""What calls destroyed comes back: content, modes, links, empty directories, git's own files."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy.commands import undo_show
from execpolicy.undo import restore
from execpolicy.undo.store import RecordedCall, Store
from tests.undo.worlds import DESTROYING, made, picture, sh, whole

CALLS = [(kind, text) for kind, texts in DESTROYING.items() for text in texts]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return made(tmp_path / "p")


def held(store: Store, text: str, cwd: Path) -> int:
    """Do a call, with a snapshot before; its number."""
    taken = store.take(RecordedCall(text, str(cwd), needed=True))
    assert taken.manifest.whole
    sh(text, cwd)
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


@pytest.mark.parametrize(("kind", "text"), CALLS, ids=[text for _, text in CALLS])
def test_a_call_is_undone(project: Path, kind: str, text: str) -> None:
    store = Store(str(project))
    before = picture(project)
    held(store, text, project)
    assert picture(project) != before, "the call does nothing"
    assert taken_back(store) == []
    assert picture(project) == before
    assert whole(project) == ""


def _sequence(project: Path, seed: int, length: int) -> None:
    drawn = random.Random(seed)  # noqa: S311
    store = Store(str(project))
    states = {}
    for _ in range(length):
        before = picture(project)
        states[held(store, drawn.choice(CALLS)[1], project)] = before
    while found := restore.candidates(store):
        assert taken_back(store) == []
        assert picture(project) == states[found[0]]
    assert picture(project) == states[1]
    assert whole(project) == ""


@pytest.mark.parametrize("seed", range(6))
def test_a_row_of_calls_is_undone_one_by_one(project: Path, seed: int) -> None:
    _sequence(project, seed, 5)


@pytest.mark.rest
@pytest.mark.parametrize("seed", range(100, 300))
def test_long_rows_of_calls_are_undone_one_by_one(project: Path, seed: int) -> None:
    _sequence(project, seed, 10)


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


def test_single_paths_are_brought_back(project: Path) -> None:
    store = Store(str(project))
    number = held(store, "rm -rf src notes.txt", project)
    plan = restore.taken(store, number, RecordedCall("undo", ""), only=("src",))
    assert restore.undo(store, plan) == []
    assert (project / "src/a.py").exists()
    assert not (project / "notes.txt").exists()
    assert restore.candidates(store) == [number]
