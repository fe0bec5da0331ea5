"""What sessions wrote into their steering, kept until the user takes it over or drops it."""

import os

from execpolicy.hosts.agents.agent import AgentEntry
from execpolicy.store.sources.files import private_directory, replace
from execpolicy.support import directories
from execpolicy.support.record import Value
from execpolicy.wrap.home import ending, files
from execpolicy.wrap.home.ending import KeptApart
from execpolicy.wrap.home.files import UnreadableStateError
from execpolicy.wrap.home.plan import SessionHome

MAX_KEPT = 50
"""Sessions of which something is kept: the oldest is dropped for the next."""
_LIST = "kept.json"
_TEXTS = ("agent", "home", "directory", "elsewhere")


class KeptSession(Value):
    """What one session left: its name, the agent's, what was kept apart, and where that is outside:
    the user's home, the directory of the agent's state in it, and where that is if not there."""

    name: str
    agent: str
    home: str
    directory: str = ""
    elsewhere: str = ""
    apart: tuple[KeptApart, ...] = ()


def base() -> str:
    """Where it is kept."""
    return os.path.join(directories.state(), "wrap", "kept")


def keep(session: SessionHome, name: str, apart: "tuple[KeptApart, ...]") -> KeptSession | None:
    """Copy what was kept apart, with what it was at the start; None where that is nothing.

    What is not a file, and what is too long, is left out.
    """
    place = SessionHome(session.entry, session.home, os.path.join(base(), name))
    kept = tuple(each for each in apart if _copied(session, place, each.path))
    if not kept:
        return None
    entry = session.entry
    found = KeptSession(
        name, entry.name, session.home, entry.directory, session.elsewhere, apart=kept
    )
    rows = [[each.path, list(each.key), each.is_steering] for each in kept]
    texts = (found.agent, found.home, found.directory, found.elsewhere)
    table: dict[str, object] = {**dict(zip(_TEXTS, texts, strict=True)), "apart": rows}
    replace(os.path.join(place.directory, _LIST), files.written(table), 0o600)
    for old in sessions()[:-MAX_KEPT]:
        drop(old.name)
    return found


def _copied(session: SessionHome, place: SessionHome, path: str) -> bool:
    try:
        pairs = (
            (ending.own(session, path).data, place.own),
            (files.content(os.path.join(session.start, path)).data, place.start),
        )
    except UnreadableStateError:
        return False
    for data, top in pairs:
        if data is not None:
            target = os.path.join(top, path)
            private_directory(place.directory)
            os.makedirs(os.path.dirname(target), 0o700, exist_ok=True)
            replace(target, data, 0o600, durable=False)
    return any(data is not None for data, _ in pairs)


def sessions() -> list[KeptSession]:
    """Every session of which something is kept, the oldest first."""
    try:
        names = os.listdir(base())
    except OSError:
        return []
    found = [(os.path.join(base(), name), name) for name in names]
    found = [each for each in found if os.path.isfile(os.path.join(each[0], _LIST))]
    found.sort(key=lambda each: os.stat(os.path.join(each[0], _LIST)).st_mtime_ns)
    return [session for _, name in found if (session := _session(name)) is not None]


def _session(name: str) -> KeptSession | None:
    try:
        table = files.table(files.content(os.path.join(base(), name, _LIST)).data)
    except UnreadableStateError:
        return None
    texts = [text for key in _TEXTS if isinstance(text := table.get(key), str)]
    rows = table.get("apart")
    if len(texts) < len(_TEXTS) or not isinstance(rows, list):
        return None
    apart = tuple(KeptApart(path, tuple(key), is_steering) for path, key, is_steering in rows)
    agent, home, under, elsewhere = texts
    return KeptSession(name, agent, home, under, elsewhere, apart)


def take(session: KeptSession, chosen: KeptApart) -> None:
    """Take one thing over, by the user's word. Raises `UnreadableStateError` where what is outside
    has changed since the session began."""
    ending.take(place_of(session), chosen)


def place_of(session: KeptSession) -> SessionHome:
    """The home of a session, as far as it was kept."""
    entry = AgentEntry(session.agent, session.agent, (), directory=session.directory)
    return SessionHome(entry, session.home, os.path.join(base(), session.name), session.elsewhere)


def drop(name: str) -> None:
    """Forget what a session left."""
    from execpolicy.sandbox.session.removal import remove

    if name in os.listdir(base()):
        remove(os.path.join(base(), name))
