"""The ledger's file: whatever is wrong with it, nothing is granted."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy import Decision
from execpolicy.approvals import Life
from execpolicy.model.approval import Approval, Bounds, Confinement, Moment, Reach
from execpolicy.store.ledger import codec, guard, sessions
from execpolicy.store.ledger.guard import LedgerError
from execpolicy.store.ledger.ledger import Ledger
from execpolicy.support import directories
from tests.approvals.support import Desk, repository

NOW = Moment(1000.0, 10.0, "b")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A session with an approval."""
    desk = Desk(repository(tmp_path / "p"))
    desk.approve("npm test")
    return desk


def allowed(desk: Desk) -> bool:
    """Whether the approval still counts, for a call that only reads the ledger."""
    from execpolicy.approvals.remembered import Remembered

    engine = desk.engine
    engine.approvals = Remembered("library", "s1", clock=desk.clock)
    return engine.check("npm test", cwd=str(desk.project)).decision is Decision.ALLOW


def file() -> Path:
    return Path(directories.ledger())


def execute(statement: str) -> None:
    connection = sqlite3.connect(file())
    with connection:
        connection.execute(statement)
    connection.close()


def test_as_it_was_made_it_counts(desk: Desk) -> None:
    assert allowed(desk)
    assert file().stat().st_mode & 0o777 == 0o600
    assert file().parent.stat().st_mode & 0o777 == 0o700


def test_a_call_that_uses_an_approval_keeps_its_session_alive(desk: Desk) -> None:
    from execpolicy.approvals.remembered import Remembered

    desk.clock.go(7 * 3600)
    desk.engine.approvals = Remembered("library", "s1", clock=desk.clock, spend=True)
    assert desk.engine.check("npm test", cwd=str(desk.project)).decision is Decision.ALLOW
    with Ledger.open() as ledger:
        (approval,) = ledger.every()
        session = sessions.read(ledger, str(approval.bounds.session))
    assert session is not None
    assert session.seen == desk.clock()


def truncate() -> None:
    os.truncate(file(), file().stat().st_size // 2)


def empty() -> None:
    os.truncate(file(), 0)


def scramble() -> None:
    file().write_bytes(bytes(b ^ 0x5A for b in file().read_bytes()))


def scramble_pages() -> None:
    data = bytearray(file().read_bytes())
    for at in range(4096, len(data)):
        data[at] ^= 0xFF
    file().write_bytes(data)


def link() -> None:
    other = file().with_name("other")
    file().rename(other)
    file().symlink_to(other)


def hard_link() -> None:
    os.link(file(), file().with_name("other"))


def link_directory() -> None:
    folder = file().parent
    folder.rename(folder.with_name("other"))
    folder.symlink_to(folder.with_name("other"))


def open_to_all() -> None:
    file().chmod(0o666)


def readable_by_all() -> None:
    file().chmod(0o644)


def open_directory() -> None:
    file().parent.chmod(0o777)


def copy_over() -> None:
    data = file().read_bytes()
    file().rename(file().with_name("old"))
    file().write_bytes(data)
    file().chmod(0o600)


def no_witness() -> None:
    (file().parent / guard.WITNESS).unlink()


def other_witness() -> None:
    (file().parent / guard.WITNESS).write_text("999 " + "a" * 64)


def garbage_witness() -> None:
    (file().parent / guard.WITNESS).write_text("x")


def directory_in_its_place() -> None:
    file().unlink()
    file().mkdir()


def trigger() -> None:
    execute("CREATE TRIGGER t AFTER INSERT ON events BEGIN SELECT 1; END")


def edit_event() -> None:
    execute("UPDATE events SET data = replace(data, 's1', 's2') WHERE kind = 'approved'")


def edit_hash() -> None:
    execute("UPDATE events SET hash = 'x' WHERE kind = 'approved'")


def other_kind() -> None:
    execute("UPDATE events SET kind = 'approved', subject = 'x' WHERE kind = 'asked'")
    execute("DELETE FROM approvals")
    execute("INSERT INTO approvals SELECT 'x', seq FROM events")


def twice() -> None:
    execute(
        "INSERT INTO events SELECT 100, at, kind, subject, data, prev, hash FROM events"
        " WHERE kind = 'approved'"
    )


TAMPERING = [
    truncate,
    empty,
    scramble,
    scramble_pages,
    link,
    hard_link,
    link_directory,
    open_to_all,
    readable_by_all,
    open_directory,
    copy_over,
    no_witness,
    other_witness,
    garbage_witness,
    directory_in_its_place,
    trigger,
    edit_event,
    edit_hash,
    other_kind,
    twice,
]


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda f: f.__name__)
def test_what_was_tampered_with_grants_nothing(desk: Desk, tamper: Callable[[], None]) -> None:
    tamper()
    assert not allowed(desk)


def pipe_in_its_place() -> None:
    file().unlink()
    os.mkfifo(file(), 0o600)


@pytest.mark.parametrize("tamper", [link, directory_in_its_place, pipe_in_its_place])
def test_what_is_no_file_is_never_opened(desk: Desk, tamper: Callable[[], None]) -> None:
    tamper()
    with pytest.raises(LedgerError, match="is a link or not what it should be"):
        guard.check(str(file()))


def test_a_file_of_somebody_else_grants_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert not allowed(desk)


def test_a_locked_file_grants_nothing(desk: Desk) -> None:
    other = sqlite3.connect(file(), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert not allowed(desk)
    other.execute("ROLLBACK")
    other.close()
    assert allowed(desk)


def test_an_old_copy_put_back_grants_nothing(desk: Desk) -> None:
    old = file().read_bytes()
    with Ledger.open() as ledger:
        ledger.revoke([a.id for a in ledger.every()], 2000.0)
    assert not allowed(desk)
    file().write_bytes(old)  # the same file, with the content from before
    assert not allowed(desk)


def test_uses_do_not_come_back_with_an_old_copy(tmp_path: Path) -> None:
    desk = Desk(repository(tmp_path / "p"))
    desk.approve("npm test", uses=1)
    old = file().read_bytes()
    assert desk.ask("npm test") is Decision.ALLOW
    file().write_bytes(old)
    with pytest.raises(LedgerError, match="old copy"):
        desk.ask("npm test")


def test_a_ledger_of_another_home_grants_nothing(
    desk: Desk, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "state"
    shutil.copytree(home / ".local/state", other)
    monkeypatch.setenv("XDG_STATE_HOME", str(other))
    for path in (other / "execpolicy", other / "execpolicy/ledger"):
        path.chmod(0o700)
    assert not allowed(desk)


def test_a_chain_that_was_changed_shows_where(desk: Desk) -> None:
    with Ledger.open() as ledger:
        assert ledger.broken() is None
    execute("UPDATE events SET data = 'x' WHERE seq = 1")
    with Ledger.open() as ledger:
        assert ledger.broken() == 1
    execute("DELETE FROM events WHERE seq = 1")
    with Ledger.open() as ledger:
        assert ledger.broken() == 2


def test_an_error_in_a_transaction_leaves_nothing(desk: Desk) -> None:
    with Ledger.open() as ledger:
        count = len(ledger.events())
        with pytest.raises(ZeroDivisionError):
            _fail_after_a_note(ledger)
        assert len(ledger.events()) == count
        assert ledger.broken() is None


def _fail_after_a_note(ledger: Ledger) -> None:
    with ledger.writing():
        ledger.note("x", "y", "z", 1.0)
        raise ZeroDivisionError


def test_revoked_is_revoked_at_once(desk: Desk) -> None:
    with Ledger.open() as ledger:
        assert ledger.revoke(["nothing"], 1.0) == 0
        assert ledger.revoke([a.id for a in ledger.every()], 1.0) == 1
    assert not allowed(desk)


@pytest.mark.parametrize("life", [Life.ONCE, Life.REJECT])
def test_answers_that_are_for_once_leave_no_approval(desk: Desk, life: Life) -> None:
    replied = desk.reply(desk.question("npm run build"), life)
    assert replied.approvals == ()
    with Ledger.open() as ledger:
        assert len(ledger.every()) == 1


REACHES = [
    Reach("exec", exact="ab"),
    Reach("exec", prefix=("a", "", "é\n3:x"), effects=("read",), places=("project", "tmp")),
    Reach("access", path="/w/ä b", under=True, modes=("read", "write")),
    Reach("connect", host="h", protocol="https", port=443),
]


@pytest.mark.parametrize("reach", REACHES, ids=str)
@pytest.mark.parametrize(
    "bounds",
    [
        Bounds(Confinement.SANDBOX),
        Bounds(Confinement.NONE, "s", "/p", "/p/a", NOW.after(1.5), 3),
        Bounds(Confinement.NONE, "", "", None, None, 0),
    ],
)
def test_approvals_survive_as_text(reach: Reach, bounds: Bounds) -> None:
    approval = Approval("id", reach, bounds, "user", NOW, "q", "digest")
    assert codec.decode(codec.encode(approval)) == approval


@pytest.mark.parametrize("text", ["", "1:a", "9:a", "x", "-1:a", "1:a" * 12, "-" * 12])
def test_damaged_text_is_no_approval(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        codec.decode(text)
