"""The sessions of the ledger: who is above whom, in which scope, and when each was seen last."""

from execpolicy.model.approval import Moment
from execpolicy.store.ledger import codec
from execpolicy.store.ledger.ledger import Ledger
from execpolicy.support.record import Value

IDLE_SECONDS = 24 * 3600.0
REFRESH_SECONDS = 600.0
MAX_PARENTS = 8


class Session(Value):
    """A session by its name: host, the host's id and the project as one text."""

    id: str
    project: str | None = None
    parent: str | None = None
    scope: str | None = None
    seen: Moment = Moment(0.0, 0.0)


def name(host: str, session: str, project: str | None) -> str:
    """The name of a host's session in a project. It is not a secret."""
    return codec.pack((host, session, project))


def read(ledger: Ledger, wanted: str) -> Session | None:
    """A session as it was noted."""
    rows = ledger.run("SELECT id, project, parent, scope, seen FROM sessions WHERE id = ?", wanted)
    if not rows:
        return None
    found, project, parent, scope, seen = (None if v is None else str(v) for v in rows[0])
    wall, running, boot = codec.unpack(seen or "")
    at = Moment(float(wall or 0), float(running or 0), boot or "")
    return Session(found or "", project, parent, scope, at)


def is_over(session: Session, now: Moment) -> bool:
    """Whether a session was idle for too long: its approvals and questions ended with it."""
    return now.passed(session.seen.after(IDLE_SECONDS), session.seen)


def seen(ledger: Ledger, session: Session, now: Moment) -> None:
    """Note that a session is alive. Not more often than every ten minutes, for that is a write."""
    known = read(ledger, session.id)
    if known is not None and 0 <= now.wall - known.seen.wall < REFRESH_SECONDS:
        return
    at = codec.pack((repr(now.wall), repr(now.running), now.boot))
    kept = known or session
    with ledger.writing():
        ledger.run(
            "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?)",
            session.id,
            session.project,
            kept.parent,
            kept.scope,
            at,
        )


def parents(ledger: Ledger, session: Session) -> tuple[str, ...]:
    """The sessions above one, the nearest first. A circle ends it."""
    found: list[str] = []
    parent = session.parent
    while parent is not None and parent not in (session.id, *found) and len(found) < MAX_PARENTS:
        found.append(parent)
        above = read(ledger, parent)
        parent = above.parent if above else None
    return tuple(found)
