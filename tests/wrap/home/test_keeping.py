"""What sessions wrote into their steering is kept until the user takes it over."""

from pathlib import Path

import pytest

from execpolicy.hosts.agents.entries import agent
from execpolicy.wrap.home import ending, keeping, plan
from execpolicy.wrap.home.files import UnreadableStateError
from tests.store.support import write


@pytest.fixture
def user(home: Path, tmp_path: Path) -> Path:
    """A home of the user's, with settings of Claude Code."""
    user = tmp_path / "user"
    write(user / ".claude/settings.json", "{}")
    return user


def left(user: Path, name: str, **texts: str) -> keeping.KeptSession | None:
    """What a session leaves that wrote these files."""
    session = plan.prepared(agent("claude"), str(user), str(user.parent / name))
    for path, text in texts.items():
        write(Path(session.own) / path, text)
    return keeping.keep(session, name, ending.ended(session).apart)


def test_nothing_is_kept_of_a_session_that_wrote_nothing(user: Path) -> None:
    assert left(user, "one") is None
    assert keeping.sessions() == []


def test_it_is_listed_taken_and_dropped(user: Path) -> None:
    kept = left(user, "one", **{".claude/settings.json": '{"a": 1}', ".claude/agents/x.md": "x"})
    assert kept is not None
    assert keeping.sessions() == [kept]
    assert [each.path for each in kept.apart] == [".claude/agents/x.md", ".claude/settings.json"]
    for each in kept.apart:
        keeping.take(kept, each)
    assert (user / ".claude/settings.json").read_text() == '{"a": 1}'
    assert (user / ".claude/agents/x.md").read_text() == "x"
    keeping.drop(kept.name)
    assert keeping.sessions() == []


def test_of_two_sessions_the_second_does_not_undo_the_first(user: Path) -> None:
    one = left(user, "one", **{".claude/settings.json": '{"a": 1}'})
    other = left(user, "two", **{".claude/settings.json": '{"b": 1}'})
    assert one is not None
    assert other is not None
    keeping.take(one, one.apart[0])
    with pytest.raises(UnreadableStateError, match="has changed"):
        keeping.take(other, other.apart[0])
    assert (user / ".claude/settings.json").read_text() == '{"a": 1}'


def test_what_is_no_file_is_not_kept(user: Path) -> None:
    session = plan.prepared(agent("claude"), str(user), str(user.parent / "one"))
    (Path(session.own) / "x").symlink_to("/etc/passwd")
    assert keeping.keep(session, "one", ending.ended(session).apart) is None


def test_the_oldest_is_dropped(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MAX_KEPT", 2)
    for name in ("one", "two", "three"):
        left(user, name, **{".claude/CLAUDE.md": name})
    assert [session.name for session in keeping.sessions()] == ["two", "three"]


def test_a_list_that_is_damaged_is_passed_over(user: Path) -> None:
    left(user, "one", **{".claude/CLAUDE.md": "x"})
    write(Path(keeping.base()) / "one/kept.json", "[")
    assert keeping.sessions() == []


def test_it_is_taken_to_where_a_variable_puts_the_state(user: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    session = plan.prepared(agent("claude"), str(user), str(tmp_path / "one"), str(there))
    write(Path(session.own) / ".claude/CLAUDE.md", "x")
    keeping.keep(session, "one", ending.ended(session).apart)
    (kept,) = keeping.sessions()
    keeping.take(kept, kept.apart[0])
    assert (there / "CLAUDE.md").read_text() == "x"
    assert not (user / ".claude/CLAUDE.md").exists()
