"""The audit log of this program, and any file of lines with a `command` each.

`session`, `cwd`, `root`, `agent`, `time`, `id`, `sub` and `outcome` count where a line has them. A
log that was told to keep no commands has no calls.
"""

from collections.abc import Iterable

from execpolicy.hosts.transcripts.call import CallOutcome
from execpolicy.hosts.transcripts.files import Record
from execpolicy.hosts.transcripts.gather import Gathered, place, text

PLACES: tuple[str, ...] = ()
"""It lies where the state of this program is."""
_OUTCOMES = {outcome.value: outcome for outcome in CallOutcome}


def knows(record: Record) -> bool:
    """Whether a record is a line of ours."""
    return isinstance(record.get("command"), str) or (
        "decision" in record and "digest" in record and "operations" in record
    )


def read(records: Iterable[Record], into: Gathered) -> None:
    """Take the calls of a log, which is of many sessions."""
    whole = into.session
    roots: dict[str, str | None] = {}
    for number, record in enumerate(records):
        command = record.get("command")
        if not isinstance(command, str):
            into.unread += "decision" in record
            continue
        into.agent = text(record.get("agent")) or "execpolicy"
        into.session = text(record.get("session")) or whole
        into.cwd = place(record.get("cwd"))
        into.root = place(record.get("root")) or roots.setdefault(into.session, into.cwd)
        into.sub = record.get("sub") is True
        key = text(record.get("id")) or f"{into.path}:{number}"
        into.begin(key, "bash", {"command": command}, record.get("time"))
        into.end(key, _OUTCOMES.get(text(record.get("outcome")), CallOutcome.UNKNOWN))
