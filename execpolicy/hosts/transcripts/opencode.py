"""opencode: a database, `~/.local/share/opencode/opencode.db`; or what `opencode export` prints.

Recorded with 1.3.2 and 1.18.33. Before 1.2 each part was a file of its own below `storage/part`.
"""

from collections.abc import Iterable, Iterator

from execpolicy.hosts.transcripts.call import CallOutcome
from execpolicy.hosts.transcripts.files import Record, parsed
from execpolicy.hosts.transcripts.gather import OURS, Gathered, place, table, tables, text

PLACES = (".local/share/opencode",)
_QUERY = """\
SELECT part.data, part.session_id, session.directory, session.parent_id
FROM part LEFT JOIN session ON session.id = part.session_id ORDER BY part.id"""


def knows(record: Record) -> bool:
    """Whether a record is of this host: what is exported, or a part of a message."""
    exported = isinstance(record.get("info"), dict) and isinstance(record.get("messages"), list)
    return exported or (record.get("type") == "tool" and "callID" in record)


def from_database(path: str) -> Iterator[Record]:
    """The parts of a database, as records."""
    for data, session, directory, parent in rows(path, _QUERY):
        part = parsed(data.encode()) if isinstance(data, str) else None
        if part is not None:
            yield {**part, "sessionID": session, "directory": directory, "parentID": parent}


def read(records: Iterable[Record], into: Gathered) -> None:
    """Take the calls of sessions."""
    for record in records:
        if "messages" in record:
            _start(table(record, "info"), into)
            for message in tables(record.get("messages")):
                for part in tables(message.get("parts")):
                    _part(part, into)
        else:
            _start({**record, "id": record.get("sessionID")}, into)
            _part(record, into)


def _start(session: Record, into: Gathered) -> None:
    into.session = text(session.get("id")) or into.session
    into.cwd = into.root = place(session.get("directory")) or into.root
    into.sub = bool(session.get("parentID"))


def _part(part: Record, into: Gathered) -> None:
    if part.get("type") != "tool":
        return
    state = table(part, "state")
    key = f"{into.session} {text(part.get('callID'))}"
    into.begin(key, part.get("tool"), state.get("input"), table(state, "time").get("start"))
    into.end(key, _outcome(state))


def _outcome(state: Record) -> CallOutcome:
    error = text(state.get("error"))
    if error.startswith("The user rejected permission"):
        return CallOutcome.PERSON
    if error.startswith(("The user has specified a rule", *OURS)):
        return CallOutcome.HOST
    return CallOutcome.RAN if state.get("status") in ("completed", "error") else CallOutcome.UNKNOWN


MAX_STEPS = 400
_OF_STEPS = 1_000_000
MAX_BYTES = 16 << 20


def rows(path: str, query: str) -> Iterator[tuple[object, ...]]:
    """The rows of a query; none where the file is not such a database, or breaks off.

    The database is another program's, and its schema is not trusted
    (https://www.sqlite.org/security.html): no view and no trigger runs a function, sizes are
    limited, and a query ends after a number of steps.
    """
    import sqlite3
    from urllib.parse import quote

    left = [MAX_STEPS]

    def ends() -> bool:
        left[0] -= 1
        return left[0] < 0

    try:
        connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=1)
    except sqlite3.Error:
        return
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
        connection.set_progress_handler(ends, _OF_STEPS)
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {pragma}")
        tables = connection.execute(
            "SELECT type FROM sqlite_schema WHERE name IN ('part','session')"
        )
        if any(kind != "table" for (kind,) in tables):
            return
        yield from connection.execute(query)
    except (sqlite3.Error, MemoryError, ValueError):
        return
    finally:
        connection.close()
