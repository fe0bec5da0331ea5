"""What a wrapped agent wrote into its settings is told, shown, and taken over by the user alone."""

import json
from pathlib import Path

import pytest

from execpolicy.commands import person, wrap_take
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.hosts.agents.entries import agent
from execpolicy.model.errors import ExecPolicyError, UsageError
from execpolicy.wrap.home import ending, keeping, plan
from tests.store.support import write

Lines = pytest.CaptureFixture[str]


@pytest.fixture
def user(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(person, "below_agent", lambda: False)
    monkeypatch.setattr(person, "is_below_agent", lambda _process: False)
    user = tmp_path / "user"
    write(user / ".claude/settings.json", '{\n  "a": 1\n}')
    write(user / ".claude.json", '{"numStartups": 1, "mcpServers": {}}')
    return user


def left(user: Path) -> tuple[ending.HomeOutcome, keeping.KeptSession]:
    """A session that wrote two of its settings, a counter that changed outside, too, and a file."""
    session = plan.prepared(agent("claude"), str(user), str(user.parent / "s"))
    own = Path(session.own)
    write(own / ".claude/settings.json", '{\n  "a": 2\n}\x1b[2J')
    mine = {"numStartups": 2, "mcpServers": {"db": {"command": "db"}}}
    write(own / ".claude.json", json.dumps(mine))
    write(own / "notes", "x")
    write(user / ".claude.json", '{"numStartups": 5, "mcpServers": {}}')
    outcome = ending.ended(session)
    kept = keeping.keep(session, "1-a", outcome.apart)
    assert kept is not None
    return outcome, kept


def test_what_is_told_at_the_end(user: Path) -> None:
    assert wrap_take.ending_lines(*left(user)) == [
        "`numStartups of ~/.claude.json` stays as it is: it was changed outside, too",
        "the agent changed its own settings, kept apart: mcpServers of ~/.claude.json, "
        "~/.claude/settings.json",
        "`execpolicy wrap --take 1-a` shows them, and takes them over",
    ]


def test_nothing_is_told_of_a_session_that_changed_nothing(user: Path) -> None:
    assert wrap_take.ending_lines(ending.HomeOutcome(), None) == []


def test_it_is_shown_and_not_taken_without_the_users_word(user: Path, capsys: Lines) -> None:
    left(user)
    assert wrap_take.take(["1-a"]) == ExitCode.PROMPT
    out = capsys.readouterr().out
    assert '-  "a": 1' in out
    assert '+  "a": 2' in out
    assert '"command": "db"' in out
    assert "\x1b" not in out
    assert "nothing was taken over" in out
    assert json.loads((user / ".claude/settings.json").read_text()) == {"a": 1}


def test_it_is_taken_by_the_users_word(user: Path, capsys: Lines) -> None:
    left(user)
    assert wrap_take.take([]) == ExitCode.ALLOW
    assert capsys.readouterr().out == "1-a  claude  3 kept apart\n"
    assert wrap_take.take(["1-a"], agreed=True) == ExitCode.ALLOW
    assert (user / ".claude/settings.json").read_text().startswith('{\n  "a": 2')
    assert json.loads((user / ".claude.json").read_text()) == {
        "numStartups": 5,
        "mcpServers": {"db": {"command": "db"}},
    }
    assert keeping.sessions() == []


def test_what_changed_meanwhile_is_left(user: Path, capsys: Lines) -> None:
    left(user)
    write(user / ".claude/settings.json", "mine")
    assert wrap_take.take(["1-a"], agreed=True) == ExitCode.ERROR
    assert "~/.claude/settings.json is left: it has changed" in capsys.readouterr().err
    assert (user / ".claude/settings.json").read_text() == "mine"
    assert [session.name for session in keeping.sessions()] == ["1-a"]


def test_a_name_that_is_not_known(user: Path) -> None:
    for name in ("x", "..", "../..", "/", ""):
        with pytest.raises(ExecPolicyError, match="nothing is kept"):
            wrap_take.take([name], agreed=True)


def test_it_is_not_taken_from_agents(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left(user)
    monkeypatch.setattr(person, "below_agent", lambda: True)
    with pytest.raises(UsageError, match="only the user"):
        wrap_take.take(["1-a"], agreed=True)
    assert json.loads((user / ".claude/settings.json").read_text()) == {"a": 1}
