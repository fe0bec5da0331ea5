"""Which files the calls of a session made, and that it may remove these where removing asks."""

import os
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path

import pytest

from execpolicy import Decision, Engine
from execpolicy.commands import own_files
from execpolicy.undo.made import SessionFiles
from execpolicy.undo.store import Limits, RecordedCall, Store
from tests.undo.test_comes_back import until_later
from tests.undo.worlds import sh

MINE = "7-100"
DEVELOPER = Path(__file__).parents[2] / "rules/presets/developer.rules"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "p"
    (root / "build").mkdir(parents=True)
    (root / "notes").write_text("nobody has this\n")
    (root / "large").write_bytes(b"x" * (1 << 19))
    return root


def call(project: Path, text: str, session: str = MINE, *, ends: bool = True) -> None:
    """Do a call, with a snapshot before; the clock of the kernel goes on after it."""
    store = Store(str(project))
    taken = store.take(RecordedCall(text, str(project), session=session))
    until_later(project.parent / "clock", taken.manifest.began)
    sh(text, project)
    if ends:
        store.end(taken.manifest)
        until_later(project.parent / "clock", store.ended(taken.manifest.number) or 0)


def person(text: str) -> Callable[[Path], None]:
    return lambda project: sh(text, project)


def of(session: str, text: str) -> Callable[[Path], None]:
    return lambda project: call(project, text, session)


def unended(project: Path) -> None:
    call(project, "echo a > x", ends=False)


def not_whole(project: Path) -> None:
    store = Store(str(project), Limits(size=1 << 20))
    taken = store.take(RecordedCall("mv large x", "/", session=MINE))
    assert not taken.manifest.whole
    sh("mv large x", project)
    store.end(taken.manifest)


def overlapping(project: Path) -> None:
    store = Store(str(project))
    other = store.take(RecordedCall("sleep 9", "/", session="8-100"))
    call(project, "echo a > x")
    store.end(other.manifest)


def undone(project: Path) -> None:
    from execpolicy.undo import restore

    call(project, "echo a > x")
    call(project, "rm x")
    store = Store(str(project))
    plan = restore.taken(store, 2, RecordedCall("undo x", "/", session=MINE))
    assert restore.undo(store, plan) == []


Row = tuple[str, tuple[str | Callable[[Path], None], ...], bool]
ROWS: list[Row] = [
    ("it made it", ("echo a > x",), True),
    ("it changed it since", ("echo a > x", "echo b >> x", "sed -i s/a/c/ x"), True),
    ("it moved what it made", ("echo a > y", "mv y x"), True),
    ("the user made it between its calls", ("true", person("echo a > x"), "true"), False),
    ("it wrote the user's anew", (person("echo a > x"), "sed -i s/a/b/ x"), False),
    ("it moved and changed the user's", ("mv notes x && echo b >> x",), False),
    ("it gave the user's another name", ("ln notes x",), False),
    ("the user changed it in between", ("echo a > x", person("echo b > x"), "echo >> x"), False),
    (
        "a call that names another like it",
        ("echo a > $(echo yx | tr -d y); true xy x.py",),
        False,
    ),
    ("another session changed it", ("echo a > x", of("8-100", "echo b >> x")), False),
    ("it is not known what was there", (not_whole,), False),
    ("another session was at work", (overlapping,), False),
]
REST: list[Row] = [
    ("it made it, and did other things since", ("echo a > x", "touch y", "true"), True),
    ("it made it again", ("echo a > x", "rm x", "echo b > x"), True),
    ("it made a copy of the user's", ("cp notes x",), True),
    ("the user made it", (person("echo a > x"),), False),
    ("the user made it before", (person("echo a > x"), "echo b >> x"), False),
    ("it took the user's away", (person("echo a > x"), "rm x; echo b > x"), False),
    ("it touched the user's", (person("echo a > x"), "touch x"), False),
    ("it moved the user's", ("mv notes x",), False),
    ("it moved the user's twice", ("mv notes y", "mv y x"), False),
    ("it is another name of what it made", ("echo a > x", "ln x y"), False),
    ("the user changed it since", ("echo a > x", person("echo b >> x")), False),
    ("the user changed its mode", ("echo a > x", person("chmod 600 x")), False),
    ("the user saved it anew", ("echo a > x", person("echo b > t; mv t x")), False),
    ("it is a link", ("ln -s notes x",), False),
    ("it is a directory", ("mkdir x",), False),
    ("a call that does not name it", ("for f in x; do echo > $f; done; true xx", "true"), True),
    ("another session made it", (of("8-100", "echo a > x"),), False),
    ("no session made it", (of("", "echo a > x"),), False),
    ("the end of the call is not known", (unended,), False),
    ("an undo brought it back", (undone,), False),
    ("nothing is there", ("true",), False),
]


@pytest.mark.parametrize(
    "row", [*ROWS, *(pytest.param(row, marks=pytest.mark.rest) for row in REST)], ids=itemgetter(0)
)
def test_what_a_session_made(project: Path, row: Row) -> None:
    _, steps, own = row
    for step in steps:
        if isinstance(step, str):
            call(project, step)
        else:
            step(project)
    store = Store(str(project))
    assert SessionFiles(store, MINE).has(f"{project}/x") is own
    assert not SessionFiles(store, "").has(f"{project}/x")


def test_a_path_through_a_link_and_one_outside(project: Path) -> None:
    call(project, "mkdir d; echo a > d/x; ln -s d to")
    (project.parent / "out").mkdir()
    (project / "away").symlink_to("../out")
    files = SessionFiles(Store(str(project)), MINE)
    assert files.has(f"{project}/to/x")
    (project.parent / "out/x").write_text("")
    assert not files.has(f"{project}/away/x")


ALLOW, PROMPT, _ = Decision
REMOVES = [
    ("rm x", ALLOW),
    ("rm -f ./x; ls", ALLOW),
    ("cd build && rm ../x", ALLOW),
    ("mv x build/", ALLOW),
    ("rm notes", PROMPT),
    ("rm x notes", PROMPT),
    ("rm *", PROMPT),
    ("mv notes x && rm x", PROMPT),
    ("mv notes x; mv x build/", PROMPT),
    ("rm x && git push -f", PROMPT),
]


def test_a_session_removes_what_it_made(project: Path) -> None:
    sh("git init -q -b main", project, check=True)
    call(project, "echo a > x")
    rules, here = [str(DEVELOPER)], str(project)
    engine = Engine.load(rules=rules, cwd=here, approvals=own_files.settled(lambda: MINE))
    found = [(text, engine.check(text, cwd=here).decision) for text, _ in REMOVES]
    assert found == REMOVES
    engine.approvals = own_files.settled(lambda: "8-100")
    assert engine.check("rm x", cwd=here).decision is PROMPT
    assert os.path.lexists(project / "x")
