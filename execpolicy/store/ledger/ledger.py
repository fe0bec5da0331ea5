"""The ledger's file: one connection, transactions, and a chain of events.

Everything that happened is an event, and each event has the digest of the one before it. An
approval is the event of its answer: what is found by the index is read from the chain and counts
only if its digest is right. Uses and revocations are later events about it.
"""

import os

from execpolicy.model.approval import REQUEST, Approval, Question, Reach
from execpolicy.store.ledger import codec, guard
from execpolicy.store.ledger.guard import LedgerError
from execpolicy.support import digest, directories
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

BUSY_SECONDS = 0.25
PATIENT_SECONDS = 10.0
"""How long a lock of another process is waited for: by a call that is decided, and by the user."""
MAX_FOUND = 256
VERSION = 1
_APPLICATION = 0x65786563  # `exec`

APPROVED, USED, REVOKED = "approved", "used", "revoked"
ASKED, ANSWERED, CLAIMED, EXPIRED = "asked", "answered", "claimed", "expired"
REFUSED = "refused"
"""A signed answer that did not count."""
OPEN = "open"

_TABLES = (
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE events(seq INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL,"
    " subject TEXT NOT NULL, data TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL)",
    "CREATE INDEX events_subject ON events(subject, kind)",
    "CREATE TABLE approvals(lookup TEXT NOT NULL, seq INTEGER NOT NULL,"
    " PRIMARY KEY(lookup, seq)) WITHOUT ROWID",
    "CREATE TABLE questions(id TEXT PRIMARY KEY, code TEXT NOT NULL, key TEXT NOT NULL,"
    " session TEXT NOT NULL, data TEXT NOT NULL, state TEXT NOT NULL, outcome TEXT,"
    " feedback TEXT) WITHOUT ROWID",
    "CREATE UNIQUE INDEX questions_open ON questions(key) WHERE state = 'open'",
    "CREATE TABLE sessions(id TEXT PRIMARY KEY, project TEXT, parent TEXT, scope TEXT,"
    " seen TEXT NOT NULL) WITHOUT ROWID",
)


class Event(Value):
    """One line of the ledger. `hash` is the digest of all the rest, `prev` that of the event before
    it; `seq` counts from 1, `at` is the wall clock in seconds."""

    seq: int
    at: str
    kind: str
    subject: str
    data: str
    prev: str
    hash: str

    def digest(self) -> str:
        """What `hash` must be."""
        parts = (self.prev, str(self.seq), self.at, self.kind, self.subject, self.data)
        return digest.of_parts(part.encode("utf-8", "surrogatepass") for part in parts)


class Waiting(Value):
    """A question as it stands: `open`, `answered` or `expired`, and what came of it. `fresh`: it
    was asked just now."""

    question: Question
    state: str
    outcome: str | None = None
    feedback: str | None = None
    fresh: bool = False


class Ledger:
    """An open ledger. Use it in one thread, and close it."""

    def __init__(self, connection: "sqlite3.Connection", file: str) -> None:
        self._connection = connection
        self.file = file
        self._head: tuple[int, str] | None = None

    @classmethod
    def open(cls, create: bool = False, seconds: float = BUSY_SECONDS) -> "Ledger":
        """The ledger of this user.

        Raises `FileNotFoundError` where there is none, unless it is to be made, and `LedgerError`
        for one that is not to be believed, or locked for longer than so many seconds.
        """
        file = directories.ledger()
        try:
            if create:
                guard.create(file)
            status = guard.check(file)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise LedgerError(f"the ledger cannot be opened: {error.strerror}") from error
        if not create and not status.st_size:
            raise FileNotFoundError(file)
        ledger = cls(_connection(file, seconds), file)
        try:
            ledger._begin(guard.identity(file, status), create)
        except BaseException:
            ledger.close()
            raise
        return ledger

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    # --- opening --------------------------------------------------------------------------------

    def _begin(self, identity: str, create: bool) -> None:
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "synchronous = FULL"):
            self.run(f"PRAGMA {pragma}")
        if create and not self.run("SELECT count(*) FROM sqlite_master")[0][0]:
            self._make(identity)
        made = tuple(row[0] for row in self.run("SELECT sql FROM sqlite_master WHERE sql NOT NULL"))
        if sorted(map(str, made)) != sorted(_TABLES):
            raise LedgerError("the ledger has other tables than it should: delete it")
        if self.run("SELECT value FROM meta WHERE name = 'identity'") != [(identity,)]:
            raise LedgerError("the ledger was made elsewhere: delete it to begin anew")
        seq, head = guard.witnessed(self.file)
        if seq and self.run("SELECT hash FROM events WHERE seq = ?", seq) != [(head,)]:
            raise LedgerError("the ledger is an old copy: delete it to begin anew")

    def _make(self, identity: str) -> None:
        with self.writing():
            if self.run("SELECT count(*) FROM sqlite_master")[0][0]:
                return  # another process was faster
            for statement in _TABLES:
                self.run(statement)
            self.run(f"PRAGMA application_id = {_APPLICATION}")
            self.run(f"PRAGMA user_version = {VERSION}")
            self.run("INSERT INTO meta VALUES ('identity', ?)", identity)

    # --- the one way to SQLite --------------------------------------------------------------------

    def run(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        """All rows of a statement. Raises `LedgerError` for whatever SQLite raises."""
        import _sqlite3 as sqlite

        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite.Error as error:
            raise LedgerError(f"the ledger cannot be used: {error}") from error

    def writing(self) -> "AbstractContextManager[None]":
        """One transaction: all of it or, on any error, nothing. The witness is told after it."""
        from contextlib import contextmanager

        @contextmanager
        def held() -> "Iterator[None]":
            self.run("BEGIN IMMEDIATE")
            self._head = None
            try:
                yield
                self.run("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            if self._head is not None:
                guard.witness(self.file, *self._head)

        return held()

    # --- events -----------------------------------------------------------------------------------

    def note(self, kind: str, subject: str, data: str, at: float) -> Event:
        """Append an event, inside a transaction."""
        rows = self.run("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")
        seq, prev = rows[0] if rows else (0, guard.GENESIS)
        event = Event(_int(seq) + 1, repr(at), kind, subject, data, str(prev), "")
        event = event.replace(hash=event.digest())
        fields = (event.seq, event.at, kind, subject, data, event.prev, event.hash)
        self.run("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", *fields)
        self._head = event.seq, event.hash
        return event

    def events(self, subject: str | None = None) -> "list[Event]":
        """All events in order, or those about one subject."""
        where = "" if subject is None else " WHERE subject = ?"
        values = () if subject is None else (subject,)
        rows = self.run(f"SELECT * FROM events{where} ORDER BY seq", *values)  # noqa: S608
        return [Event(*row) for row in rows]  # type: ignore[arg-type]

    def broken(self) -> int | None:
        """The number of the first event that does not fit the one before it; None for a whole
        chain. An event in the middle that is missing shows at the one after it."""
        prev, seq = guard.GENESIS, 0
        for event in self.events():
            if event.seq != seq + 1 or event.prev != prev or event.hash != event.digest():
                return event.seq
            prev, seq = event.hash, event.seq
        return None

    # --- approvals --------------------------------------------------------------------------------

    def approve(self, approval: Approval, at: float) -> Approval:
        """Remember an approval, inside a transaction."""
        event = self.note(APPROVED, approval.id, codec.encode(approval), at)
        self.run("INSERT INTO approvals VALUES (?, ?)", lookup(approval.reach), event.seq)
        return approval.replace(event=event.hash)

    def find(self, lookups: "Iterable[str]") -> list[Approval]:
        """The approvals under these lookups that are whole, not revoked and not used up, the newest
        first; `uses` is what is left."""
        names = list(dict.fromkeys(lookups))
        marks = ", ".join("?" * len(names))
        rows = self.run(
            "SELECT e.* FROM approvals a JOIN events e ON e.seq = a.seq"  # noqa: S608
            f" WHERE a.lookup IN ({marks}) ORDER BY e.seq DESC LIMIT {MAX_FOUND}",
            *names,
        )
        found = (self._whole(Event(*row)) for row in rows)  # type: ignore[arg-type]
        return [approval for approval in found if approval is not None]

    def every(self) -> list[Approval]:
        """Every approval that could still be used, the oldest first."""
        rows = self.run("SELECT e.* FROM approvals a JOIN events e ON e.seq = a.seq ORDER BY e.seq")
        found = (self._whole(Event(*row)) for row in rows)  # type: ignore[arg-type]
        return [approval for approval in found if approval is not None]

    def _whole(self, event: Event) -> Approval | None:
        """The approval of an event, with the uses that are left; None where it is over."""
        if event.kind != APPROVED or event.hash != event.digest():
            return None
        try:
            approval = codec.decode(event.data, event.hash)
        except ValueError:
            return None
        counted = self.run(
            "SELECT kind, count(*) FROM events WHERE subject = ? GROUP BY kind", approval.id
        )
        later = {str(kind): _int(count) for kind, count in counted}
        if approval.id != event.subject or later.get(REVOKED) or later.get(APPROVED) != 1:
            return None
        uses = approval.bounds.uses
        if uses is None:
            return approval
        left = uses - later.get(USED, 0)
        return approval.replace(bounds=approval.bounds.replace(uses=left)) if left > 0 else None

    def spend(self, approvals: "Sequence[Approval]", at: float) -> bool:
        """Use each of these once, all or none; whether that could be done."""
        with self.writing():
            wanted = {a.id: sum(b.id == a.id for b in approvals) for a in approvals}
            for approval in approvals:
                current = self.find((lookup(approval.reach),))
                left = next((c.bounds.uses for c in current if c.id == approval.id), 0)
                if left is not None and left < wanted[approval.id]:
                    return False
            for approval in approvals:
                if approval.bounds.uses is not None:
                    self.note(USED, approval.id, "", at)
        return True

    def revoke(self, ids: "Iterable[str]", at: float) -> int:
        """Take approvals back for good; how many there were."""
        with self.writing():
            known = {approval.id for approval in self.every()}
            gone = [name for name in dict.fromkeys(ids) if name in known]
            for name in gone:
                self.note(REVOKED, name, "", at)
        return len(gone)

    # --- questions --------------------------------------------------------------------------------

    def ask(self, question: Question, at: float) -> Question:
        """Keep a question; the one that waits for the same answer already, where there is one.

        Inside a transaction.
        """
        from execpolicy.store.ledger import questions

        rows = self.run("SELECT data FROM questions WHERE key = ? AND state = 'open'", question.key)
        if rows:
            return questions.decode(str(rows[0][0]))
        data = questions.encode(question)
        fields = (question.id, question.code, question.key, question.session, data, OPEN)
        self.run("INSERT INTO questions VALUES (?, ?, ?, ?, ?, ?, NULL, NULL)", *fields)
        self.note(ASKED, question.id, data, at)
        return question

    def waiting(self, session: str | None = None) -> "list[Waiting]":
        """The open questions, of one session or of all, the oldest first."""
        fields = "data, state, outcome, feedback"
        rows = self.run(f"SELECT {fields} FROM questions WHERE state = ?", OPEN)  # noqa: S608
        found = sorted(map(_waiting, rows), key=lambda w: (w.question.at.wall, w.question.id))
        return [w for w in found if session in (None, w.question.session)]

    def asked(self) -> "list[Waiting]":
        """Every question that was asked, the oldest first."""
        rows = self.run("SELECT data, state, outcome, feedback FROM questions")
        return sorted(map(_waiting, rows), key=lambda w: (w.question.at.wall, w.question.id))

    def question(self, name: str) -> Waiting | None:
        """A question by its id, or by its code while it is open."""
        rows = self.run(
            "SELECT data, state, outcome, feedback FROM questions"
            " WHERE id = ? OR (code = ? AND state = 'open')",
            name,
            name,
        )
        return _waiting(rows[0]) if len(rows) == 1 else None

    def refused(self, key: str) -> Waiting | None:
        """The last question with this key, if the user said no to it."""
        rows = self.run(
            "SELECT data, state, outcome, feedback FROM questions"
            " WHERE key = ? AND state = ? AND outcome IN ('rejected', 'corrected')",
            key,
            ANSWERED,
        )
        found = map(_waiting, rows)
        return max(found, key=lambda w: w.question.at.wall, default=None)

    def end(self, name: str, state: str, outcome: str, feedback: str | None, at: float) -> bool:
        """Give an open question its end, inside a transaction; False where it had one already."""
        if not self.run("SELECT 1 FROM questions WHERE id = ? AND state = 'open'", name):
            return False
        self.run(
            "UPDATE questions SET state = ?, outcome = ?, feedback = ? WHERE id = ?",
            state,
            outcome,
            feedback,
            name,
        )
        self.note(state, name, codec.pack((outcome, feedback)), at)
        return True

    def claim(self, name: str, at: float) -> bool:
        """Take the one use of an answer; False where another process took it."""
        with self.writing():
            if self.run("SELECT 1 FROM events WHERE subject = ? AND kind = ?", name, CLAIMED):
                return False
            self.note(CLAIMED, name, "", at)
        return True


def _waiting(row: "Sequence[object]") -> Waiting:
    from execpolicy.store.ledger import questions

    data, state, outcome, feedback = (None if v is None else str(v) for v in row)
    try:
        return Waiting(questions.decode(str(data)), str(state), outcome, feedback)
    except ValueError as error:
        raise LedgerError(f"the ledger is damaged: {error}") from error


def lookup(reach: Reach) -> str:
    """Under what an approval of this reach is found: its key, program, path or host."""
    if reach.kind == REQUEST:
        return f"{REQUEST}:{reach.exact}"
    if reach.exact:
        return f"x:{reach.exact}"
    if reach.prefix:
        return f"p:{reach.prefix[0]}"
    if reach.path:
        return f"{'u' if reach.under else 'a'}:{reach.path}"
    return f"h:{reach.host}"


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _connection(file: str, seconds: float) -> "sqlite3.Connection":
    """The file as a database that is there. Raises `LedgerError`."""
    import _sqlite3 as sqlite

    try:
        return sqlite.connect(_uri(file), uri=True, timeout=seconds, isolation_level=None)
    except sqlite.Error as error:
        raise LedgerError(f"the ledger cannot be opened: {error}") from error


def _uri(file: str) -> str:
    """The file as SQLite's URI: opened for reading and writing, never made."""
    name = os.fsencode(file)
    plain = b"/-_.~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    return "file:" + "".join(chr(b) if b in plain else f"%{b:02X}" for b in name) + "?mode=rw"
