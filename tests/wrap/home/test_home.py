"""A session's home on disk: what is bound, copied, carried back and kept apart."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from execpolicy.hosts.agents.agent import AgentEntry, CarriedFile, StateColumn, StateEntry
from execpolicy.hosts.agents.entries import agent, names, unknown
from execpolicy.wrap.home import ending, files, plan
from execpolicy.wrap.home.ending import KeptApart
from execpolicy.wrap.home.files import UnreadableStateError

CLAUDE = agent("claude")
SETTINGS = ".claude.json"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    write(home / SETTINGS, {"numStartups": 1, "mcpServers": {}})
    write(home / ".claude/settings.json", {"permissions": {"deny": ["Bash(rm:*)"]}})
    write(home / ".claude/skills/one/SKILL.md", "one")
    write(home / ".claude/projects/-p/1.jsonl", "{}\n")
    write(home / ".ssh/id_ed25519", "key")
    return home


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def began(home: Path, name: str = "s", entry: AgentEntry = CLAUDE) -> plan.SessionHome:
    return plan.prepared(entry, str(home), str(home.parent / name))


def inside(session: plan.SessionHome, path: str) -> Path:
    return Path(session.own) / path


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def binds(session: plan.SessionHome) -> dict[str, tuple[str, bool]]:
    """The source, and whether it is written, by the path relative to the home."""
    return {os.path.relpath(b.target, session.home): (b.source, b.writable) for b in session.binds}


def test_the_columns_are_bound(home: Path) -> None:
    session = began(home)
    found = binds(session)
    assert session.binds[0].source == session.own
    assert found["."] == (session.own, True)
    assert found[".claude/projects"] == (str(home / ".claude/projects"), True)
    assert found[".claude/skills"] == (str(home / ".claude/skills"), False)
    assert found[".claude/sessions"][0].startswith(session.directory)
    assert ".claude/agents" not in found, "there is none outside"
    assert not any("ssh" in path for path in found)
    assert session.skipped == ()


def test_the_home_has_copies_of_settings_and_nothing_else(home: Path) -> None:
    session = began(home)
    found = {str(p.relative_to(session.own)) for p in Path(session.own).rglob("*") if p.is_file()}
    assert found == {SETTINGS, ".claude/settings.json", ".claude/history.jsonl"}
    assert read(inside(session, SETTINGS)) == read(home / SETTINGS)


@pytest.mark.parametrize("name", names())
def test_each_agent_gets_a_home(name: str, tmp_path: Path) -> None:
    """With nothing outside: data is made there, and nothing else."""
    home = tmp_path / "user"
    home.mkdir()
    session = began(home, entry=agent(name))
    data = {part.path for part in agent(name).state if part.column is StateColumn.DATA}
    made = {str(p.relative_to(home)) for p in home.rglob("*")}
    assert data <= made
    assert all(any(d == m or d.startswith(f"{m}/") for d in data) for m in made)
    written = {
        path
        for path, (source, can) in binds(session).items()
        if can and source[: len(str(home))] == str(home)
    }
    assert written == data
    assert ending.ended(session) == ending.HomeOutcome()


def test_data_of_settings_is_carried_back(home: Path) -> None:
    session = began(home)
    write(inside(session, SETTINGS), {"numStartups": 2, "mcpServers": {"x": {}}, "userID": "u"})
    write(home / SETTINGS, {"numStartups": 1, "mcpServers": {}, "theme": "light"})
    done = ending.ended(session)
    assert read(home / SETTINGS) == {
        "numStartups": 2,
        "mcpServers": {},
        "theme": "light",
        "userID": "u",
    }
    assert {key for _, key in done.carried} == {("numStartups",), ("userID",)}
    assert done.apart == (KeptApart(SETTINGS, ("mcpServers",)),)


def test_what_both_changed_stays(home: Path) -> None:
    session = began(home)
    write(inside(session, SETTINGS), {"numStartups": 2, "mcpServers": {}})
    write(home / SETTINGS, {"numStartups": 9, "mcpServers": {}})
    before = (home / SETTINGS).stat().st_ino
    assert ending.ended(session).conflicts == ((SETTINGS, ("numStartups",)),)
    assert (home / SETTINGS).stat().st_ino == before, "it is not written where nothing is carried"


def test_the_start_is_not_where_the_agent_writes(home: Path) -> None:
    session = began(home)
    assert not session.start.startswith(session.own)
    assert all(not session.start.startswith(bind.source) for bind in session.binds)


@pytest.mark.parametrize("left", [False, True], ids=["", "with a lock that was left"])
def test_two_sessions_at_once_lose_nothing(left: bool, home: Path) -> None:
    """Twenty that end at once, each with a key of its own and the same counter."""
    lock = home / f"{SETTINGS}.lock"
    if left:
        lock.mkdir()
        os.utime(lock, (0, 0))
    sessions = [began(home, f"s{n}") for n in range(20)]
    for number, session in enumerate(sessions):
        tips = {"numStartups": number + 2, "mcpServers": {}, "tipsHistory": {str(number): 1}}
        write(inside(session, SETTINGS), tips)
    outcomes: list[ending.HomeOutcome] = []
    threads = [
        threading.Thread(target=lambda s=s: outcomes.append(ending.ended(s))) for s in sessions
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read(home / SETTINGS)["tipsHistory"] == {str(number): 1 for number in range(20)}
    winners = [done for done in outcomes if (SETTINGS, ("numStartups",)) in done.carried]
    assert len(winners) == 1
    assert sum((SETTINGS, ("numStartups",)) in done.conflicts for done in outcomes) == 19
    assert lock.exists() is left


def test_a_lock_of_the_agent_is_waited_for(home: Path) -> None:
    """A directory beside the file, as agents of Node.js make it, is the lock of both."""
    session = began(home)
    write(inside(session, SETTINGS), {"numStartups": 2, "mcpServers": {}})
    lock = home / f"{SETTINGS}.lock"
    lock.mkdir()
    thread = threading.Thread(target=ending.ended, args=(session,))
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    assert read(home / SETTINGS)["numStartups"] == 1
    lock.rmdir()
    thread.join()
    assert read(home / SETTINGS)["numStartups"] == 2
    assert not lock.exists()


def test_a_lock_that_nobody_renews_is_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(files, "sleep")  # it is not waited for
    session = began(home)
    write(inside(session, SETTINGS), {"numStartups": 2, "mcpServers": {}})
    lock = home / f"{SETTINGS}.lock"
    lock.mkdir()
    os.utime(lock, (0, 0))
    ending.ended(session)
    assert read(home / SETTINGS)["numStartups"] == 2
    assert lock.exists(), "another's lock is left to its owner"


def test_settings_that_are_a_link_stay_one(home: Path) -> None:
    """A person keeps dotfiles elsewhere: the file that the link leads to is replaced."""
    real = write(home.parent / "dotfiles/claude.json", {"numStartups": 1, "mcpServers": {}})
    (home / SETTINGS).unlink()
    (home / SETTINGS).symlink_to(real)
    session = began(home)
    write(inside(session, SETTINGS), {"numStartups": 2, "mcpServers": {}})
    ending.ended(session)
    assert (home / SETTINGS).is_symlink()
    assert read(real)["numStartups"] == 2


def test_the_mode_of_a_file_stays(home: Path) -> None:
    (home / SETTINGS).chmod(0o600)
    session = began(home)
    write(inside(session, SETTINGS), {"numStartups": 2, "mcpServers": {}})
    inside(session, SETTINGS).chmod(0o777)
    ending.ended(session)
    assert (home / SETTINGS).stat().st_mode & 0o777 == 0o600


def test_steering_that_was_written_is_kept_apart(home: Path) -> None:
    session = began(home)
    write(inside(session, ".claude/settings.json"), {"hooks": {}})
    write(inside(session, ".claude/agents/evil.md"), "x")
    write(inside(session, ".bashrc"), "x")
    inside(session, ".claude/CLAUDE.md").symlink_to("/etc/passwd")
    before = {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}
    done = ending.ended(session)
    assert {p: p.read_bytes() for p in home.rglob("*") if p.is_file()} == before
    assert [(a.path, a.is_steering) for a in done.apart] == [
        (".bashrc", False),
        (".claude/CLAUDE.md", True),
        (".claude/agents/evil.md", True),
        (".claude/settings.json", True),
    ]


def test_what_a_person_takes_over_is_outside_then(home: Path) -> None:
    session = began(home)
    write(inside(session, ".claude/settings.json"), {"permissions": {"allow": ["Bash(ls)"]}})
    write(inside(session, ".claude/agents/new.md"), "new")
    write(inside(session, SETTINGS), {"numStartups": 1, "mcpServers": {"db": {}}})
    for one in ending.ended(session).apart:
        ending.take(session, one)
    assert read(home / ".claude/settings.json") == {"permissions": {"allow": ["Bash(ls)"]}}
    assert (home / ".claude/agents/new.md").read_text() == "new"
    assert read(home / SETTINGS)["mcpServers"] == {"db": {}}


def test_what_has_changed_outside_is_not_taken_over(home: Path) -> None:
    session = began(home)
    write(inside(session, ".claude/settings.json"), {})
    write(inside(session, SETTINGS), {"numStartups": 1, "mcpServers": {"db": {}}})
    write(home / ".claude/settings.json", {"mine": 1})
    write(home / SETTINGS, {"numStartups": 1, "mcpServers": {"mine": {}}})
    for one in ending.ended(session).apart:
        with pytest.raises(UnreadableStateError, match="has changed"):
            ending.take(session, one)
    assert read(home / ".claude/settings.json") == {"mine": 1}
    assert read(home / SETTINGS)["mcpServers"] == {"mine": {}}


def test_a_file_that_was_removed_is_told_and_taken(home: Path) -> None:
    session = began(home)
    inside(session, ".claude/settings.json").unlink()
    (apart,) = ending.ended(session).apart
    assert apart == KeptApart(".claude/settings.json")
    assert (home / ".claude/settings.json").exists()
    ending.take(session, apart)
    assert not (home / ".claude/settings.json").exists()


def _link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def _link_to_settings(path: Path) -> None:
    path.symlink_to(write(path.parent / "other.json", {"numStartups": 7}))


def _text(content: str) -> Any:
    return lambda path: path.write_text(content)


HOSTILE: dict[str, Any] = {
    "a link": _link,
    "a link to what could be read": _link_to_settings,
    "a link to itself": lambda path: path.symlink_to(path),
    "a directory": lambda path: path.mkdir(),
    "a pipe": lambda path: os.mkfifo(path),
    "no JSON": _text("{"),
    "a list": _text("[]"),
    "a number": _text("7"),
    "nothing in it": _text(""),
    "no UTF-8": lambda path: path.write_bytes(b'{"numStartups": "\xff"}'),
    "an endless number": _text('{"numStartups": Infinity}'),
    "a number that becomes endless": _text('{"numStartups": 1e999}'),
    "no number": _text('{"numStartups": NaN}'),
    "very deep": _text('{"numStartups": ' + "[" * 100_000 + "]" * 100_000 + "}"),
    "deep": _text('{"numStartups": ' + "[" * 900 + "]" * 900 + "}"),
    "too long": _text('{"numStartups": "' + "x" * files.MAX_BYTES + '"}'),
    "not to be read": lambda path: (path.write_text("{}"), path.chmod(0)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_settings_file_is_told_and_harms_nothing(name: str, home: Path) -> None:
    session = began(home)
    path = inside(session, SETTINGS)
    path.unlink()
    before = (home / SETTINGS).read_bytes()
    HOSTILE[name](path)
    done = ending.ended(session)
    if name in ("deep", "not to be read") and not done.problems:
        return  # Python reads the one, root the other
    assert [problem[0] for problem in done.problems] == [SETTINGS]
    assert (home / SETTINGS).read_bytes() == before


def test_a_directory_of_the_home_that_became_a_link_is_not_followed(home: Path) -> None:
    entry = AgentEntry("a", "A", (), carried=(CarriedFile(".a/s.json", (("*",),)),))
    secret = write(home / "secret/s.json", {"token": 1})
    session = began(home, entry=entry)
    (Path(session.own) / ".a").symlink_to(secret.parent)
    done = ending.ended(session)
    assert [problem[0] for problem in done.problems] == [".a/s.json"]
    assert not (home / ".a").exists()


def test_comments_of_a_file_keep_no_login_back(home: Path) -> None:
    """Copilot begins its file with two."""
    session = began(home, entry=agent("copilot"))
    text = '// It is managed.\n{"copilotTokens": {"a:b": "t"}, "trustedFolders": ["/"],}'
    write(inside(session, ".copilot/config.json"), text)
    done = ending.ended(session)
    assert read(home / ".copilot/config.json") == {"copilotTokens": {"a:b": "t"}}
    assert done.apart == (KeptApart(".copilot/config.json", ("trustedFolders",)),)


def test_half_a_pair_of_utf_16_is_written_as_json_has_it(home: Path) -> None:
    session = began(home)
    inside(session, SETTINGS).write_text('{"numStartups": "\\ud800", "mcpServers": {}}')
    ending.ended(session)
    assert read(home / SETTINGS)["numStartups"] == "\ud800"


def test_a_file_is_read_as_it_is_inside(home: Path) -> None:
    """One that is bound by itself, one in a directory that is, and one of the session's own."""
    write(home / ".claude/history.jsonl", "old\n")
    write(home / ".claude/projects/p/a.jsonl", "told\n")
    read_file = began(home).reading()
    for path, content in (
        (".claude/history.jsonl", b"old\n"),
        (".claude/projects/p/a.jsonl", b"told\n"),
    ):
        assert read_file(str(home / path)) == content
    assert json.loads(read_file(str(home / SETTINGS)) or b"") == read(home / SETTINGS)


def test_a_link_in_data_is_never_a_source(home: Path) -> None:
    """What lies in a directory that agents write is the session's own: no link there is followed,
    whenever it is made."""
    entry = agent("opencode")
    share = home / ".local/share/opencode"
    share.mkdir(parents=True)
    (share / "bin").symlink_to(home / ".ssh")
    session = began(home, entry=entry)
    source, _ = binds(session)[".local/share/opencode/bin"]
    assert source.startswith(session.directory)


def test_a_part_of_another_kind_is_left_out(home: Path) -> None:
    write(home / ".claude/plans", "a file")
    session = began(home)
    assert (".claude/plans", "it is not a directory") in session.skipped
    assert ".claude/plans" not in binds(session)


def test_a_settings_file_that_is_none_is_left_out(home: Path) -> None:
    (home / SETTINGS).unlink()
    os.mkfifo(home / SETTINGS)
    session = began(home)
    assert session.skipped == ((SETTINGS, "it is not a regular file"),)
    assert not inside(session, SETTINGS).exists()


def test_the_state_of_an_unknown_agent(home: Path) -> None:
    session = began(home, entry=unknown("/opt/foo", [".foo/"], ["api.example.org"]))
    assert binds(session) == {
        ".": (session.own, True),
        ".foo": (str(home / ".foo"), True),
    }
    assert StateEntry(".foo", StateColumn.DATA) in session.entry.state


def test_state_that_a_variable_puts_elsewhere(home: Path) -> None:
    """With `CLAUDE_CONFIG_DIR` the file of settings is in that directory, too."""
    there = home.parent / "there"
    write(there / SETTINGS, {"numStartups": 1, "mcpServers": {}})
    write(there / "settings.json", {"mine": 1})
    session = plan.prepared(CLAUDE, str(home), str(home.parent / "s"), str(there))
    assert read(inside(session, ".claude/settings.json")) == {"mine": 1}
    assert binds(session)[".claude/projects"] == (str(there / "projects"), True)
    write(inside(session, SETTINGS), {"numStartups": 2, "mcpServers": {}})
    write(inside(session, ".claude/settings.json"), {"agent": 1})
    (apart,) = ending.ended(session).apart
    assert read(there / SETTINGS)["numStartups"] == 2
    assert read(home / SETTINGS)["numStartups"] == 1
    ending.take(session, apart)
    assert read(there / "settings.json") == {"agent": 1}
    assert read(home / ".claude/settings.json") != {"agent": 1}


def test_an_empty_file_where_something_was_bound_is_nothing(home: Path) -> None:
    session = began(home)
    write(inside(session, ".gitconfig"), "")
    write(inside(session, ".claude/settings.json"), "")
    assert ending.ended(session).apart == (KeptApart(".claude/settings.json"),)
