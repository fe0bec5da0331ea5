"""Pi: `~/.pi/agent/sessions/--DIRECTORY--/TIME_ID.jsonl` (docs/session-format.md, version 3).

Recorded with 0.60.0 and 0.73.1. It does not ask by itself; an extension that does may refuse with
the reason of docs/extensions.md, `Blocked by user`. Commands that the user types are not calls.
"""

from collections.abc import Iterable

from execpolicy.hosts.transcripts.call import CallOutcome
from execpolicy.hosts.transcripts.files import Record
from execpolicy.hosts.transcripts.gather import Gathered, place, result_text, table, tables, text

PLACES = (".pi/agent/sessions",)


def knows(record: Record) -> bool:
    """Whether a record is of this host: the head, or an entry of its tree."""
    if record.get("type") == "session":
        return "cwd" in record and "id" in record
    return record.get("type") == "message" and "id" in record and "role" in table(record, "message")


def read(records: Iterable[Record], into: Gathered) -> None:
    """Take the calls of a session."""
    for record in records:
        if record.get("type") == "session":
            into.session = text(record.get("id")) or into.session
            into.cwd = place(record.get("cwd")) or into.cwd
            into.root = into.root or into.cwd
        message = table(record, "message")
        if message.get("role") == "assistant":
            for block in tables(message.get("content")):
                if block.get("type") == "toolCall":
                    time, given = record.get("timestamp"), block.get("arguments")
                    into.begin(block.get("id"), block.get("name"), given, time)
        elif message.get("role") == "toolResult":
            into.end(message.get("toolCallId"), _outcome(message))


def _outcome(message: Record) -> CallOutcome:
    if message.get("isError") is True and result_text(message.get("content")).startswith(
        "Blocked by user"
    ):
        return CallOutcome.PERSON
    return CallOutcome.RAN
