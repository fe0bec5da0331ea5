"""A session keeps the root that its first call had."""

import os
from pathlib import Path

import pytest

from execpolicy.store import sessions


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "execpolicy" / "sessions"


def test_the_first_root_stays() -> None:
    assert sessions.root("claude", "s", "/a") == "/a"
    assert sessions.root("claude", "s", "/b") == "/a"


def test_another_session_or_host_has_its_own() -> None:
    assert sessions.root("claude", "s", "/a") == "/a"
    assert sessions.root("claude", "t", "/b") == "/b"
    assert sessions.root("codex", "s", "/c") == "/c"


def test_a_file_of_somebody_else_does_not_count(state: Path) -> None:
    sessions.root("claude", "s", "/a")
    (file,) = state.iterdir()
    file.chmod(0o666)
    assert sessions.root("claude", "s", "/b") == "/b"
    file.unlink()
    file.symlink_to("/etc/passwd")
    assert sessions.root("claude", "s", "/c") == "/c"


def test_a_pipe_is_not_waited_for(state: Path) -> None:
    sessions.root("claude", "s", "/a")
    (file,) = state.iterdir()
    file.unlink()
    os.mkfifo(file)
    assert sessions.root("claude", "s", "/b") == "/b"


def test_old_sessions_are_forgotten(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MAX_SESSIONS", 4)
    for number in range(9):
        sessions.root("claude", str(number), "/a")
    assert len([*state.iterdir()]) <= 4


def test_a_state_that_cannot_be_written_changes_nothing(state: Path) -> None:
    state.parent.mkdir(parents=True)
    state.write_text("")
    assert sessions.root("claude", "s", "/a") == "/a"
