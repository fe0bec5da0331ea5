"""Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-….jsonl`; before 0.50 one JSON document each.

Recorded with 0.45.2 and 0.61.0. A line is a message, a later form of one with its calls, or a
change of fields (`$set`). The project's directory stands beside the chats, in `.project_root`.
"""

import os
from collections.abc import Iterable

from execpolicy.hosts.transcripts.call import CallOutcome
from execpolicy.hosts.transcripts.files import Record, first_line
from execpolicy.hosts.transcripts.gather import Gathered, place, table, tables, text

PLACES = (".gemini/tmp",)
_PERSON = ("did not allow tool call", "denied execution", "[Operation Cancelled]", "User cancelled")
_HOST = ("denied by policy", "blocked by hook", "execution blocked", "not allowed", "policy:")


def knows(record: Record) -> bool:
    """Whether a record is of this host."""
    return "projectHash" in record or "$set" in record


def read(records: Iterable[Record], into: Gathered) -> None:
    """Take the calls of a session."""
    beside = os.path.join(os.path.dirname(os.path.dirname(into.path)), ".project_root")
    into.root = into.cwd = place(first_line(beside)) if into.path else None
    for record in records:
        into.session = text(record.get("sessionId")) or into.session
        if "kind" in record:
            into.sub = record.get("kind") == "subagent"
        changed = table(record, "$set")
        for message in (record, *tables(record.get("messages")), *tables(changed.get("messages"))):
            for call in tables(message.get("toolCalls")):
                into.begin(
                    call.get("id"), call.get("name"), call.get("args"), call.get("timestamp")
                )
                into.end(call.get("id"), _outcome(call))


def _outcome(call: Record) -> CallOutcome:
    status = call.get("status")
    error = ""
    for part in tables(call.get("result")):
        error = text(table(part, "functionResponse", "response").get("error")) or error
    if status == "cancelled" or (status == "error" and any(word in error for word in _PERSON)):
        return CallOutcome.PERSON
    if status == "error" and any(word in error.lower()[:300] for word in _HOST):
        return CallOutcome.HOST
    return CallOutcome.RAN if status in ("success", "error") else CallOutcome.UNKNOWN
