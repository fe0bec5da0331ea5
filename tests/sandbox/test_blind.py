"""Walls are looked at in turns where the kernel gives no watch, or loses what it saw."""

from pathlib import Path

import pytest

from execpolicy.sandbox.backends.inotify import Inotify
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.leftovers.held import Held
from execpolicy.sandbox.leftovers.watch import Watch
from tests.sandbox.test_mending import READ, again, begun, covered, ended

NONE_LEFT = ("unshare", "-r", "bash", "-c",
             'echo {} > /proc/sys/user/max_inotify_{}; exec "$@"', "bash")  # fmt: skip
"""Starts a command in a user namespace of its own, whose limit it is."""


def _refused(*_: object) -> int:
    raise OSError("no instances are left")


def test_without_an_instance(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("execpolicy.sandbox.backends.inotify.call", _refused)
    file = tmp_path / ".envrc"
    file.touch()
    watch = Watch(_none, "a", [str(file)])
    watch.begin()
    assert (watch.fd, watch.due is not None) == (-1, True)
    assert watch.poll(0)
    file.unlink()
    watch.poll(0)
    assert watch.due is not None


def test_without_room_for_a_watch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Inotify, "add", lambda *_, **__: False)
    (tmp_path / ".envrc").touch()
    watch = Watch(_none, "a", [str(tmp_path / ".envrc")])
    watch.begin()
    assert watch.due is not None


def test_what_is_lost_of_the_stream_is_said(tmp_path: Path) -> None:
    inotify = Inotify()
    inotify.add(str(tmp_path))
    for number in range(20_000):
        (tmp_path / str(number)).touch()
    assert inotify.read() is None
    inotify.close()


def test_the_walls_of_what_is_gone() -> None:
    held = Held(["/nonexistent/a"])
    assert held.changed() == []


@pytest.mark.parametrize("limit", ["instances", "watches"])
@pytest.mark.parametrize("before", ["", "sleep 0.3; "])
def test_walls_are_held_where_none_is_left(project: Path, limit: str, before: str) -> None:
    (project / ".envrc").touch()
    first = tuple(word.replace("{}", "0", 1).replace("{}", limit) for word in NONE_LEFT)
    with begun(project, before, first) as process:
        for _ in range(3):
            again(project / ".envrc")
            covered(process, project / ".envrc", READ)
        assert ended(process)[0] == 0


def _none() -> Job:
    raise AssertionError("nothing is looked for")
