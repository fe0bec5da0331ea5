"""Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`, an event a line.

Recorded with 1.0.66 and 1.0.102; kinds of permission results from @github/copilot-sdk 1.0.14
(`session-events.d.ts`).
"""

from collections.abc import Iterable

from execpolicy.hosts.transcripts.call import CallOutcome
from execpolicy.hosts.transcripts.files import Record
from execpolicy.hosts.transcripts.gather import Gathered, place, table, tables, text

PLACES = (".copilot/session-state",)
_REJECTED = ("rejected by the user", "user rejected", "denied-interactively-by-user")


def knows(record: Record) -> bool:
    """Whether a record is of this host: an event with its data, and the one before it."""
    return isinstance(record.get("data"), dict) and "parentId" in record and "type" in record


def read(records: Iterable[Record], into: Gathered) -> None:
    """Take the calls of a session."""
    asked: dict[str, str] = {}
    for record in records:
        data, kind = table(record, "data"), record.get("type")
        into.sub = bool(record.get("agentId") or data.get("parentToolCallId"))
        if kind in ("session.start", "session.resume", "session.context_changed"):
            _start(data, into)
        elif kind == "assistant.message":
            for call in tables(data.get("toolRequests")):
                time = record.get("timestamp")
                into.begin(call.get("toolCallId"), call.get("name"), call.get("arguments"), time)
        elif kind == "tool.execution_start":
            time, given = record.get("timestamp"), data.get("arguments")
            into.begin(data.get("toolCallId"), data.get("toolName"), given, time)
        elif kind == "permission.requested":
            called = text(table(data, "permissionRequest").get("toolCallId"))
            asked[text(data.get("requestId"))] = called
        elif kind == "permission.completed":
            into.end(asked.get(text(data.get("requestId"))), _answer(table(data, "result")))
        elif kind == "tool.execution_complete":
            into.end(data.get("toolCallId"), _outcome(data))


def _start(data: Record, into: Gathered) -> None:
    context = table(data, "context") or data
    into.session = text(data.get("sessionId")) or into.session
    into.cwd = place(context.get("cwd")) or into.cwd
    into.root = into.root or place(context.get("gitRoot")) or into.cwd


def _answer(result: Record) -> CallOutcome:
    kind = text(result.get("kind"))
    if kind == "denied-interactively-by-user":
        return CallOutcome.PERSON
    return CallOutcome.HOST if kind.startswith("denied-") else CallOutcome.UNKNOWN


def _outcome(data: Record) -> CallOutcome:
    error = table(data, "error")
    message = text(error.get("message")).lower()[:400]
    if data.get("success") is False and any(word in message for word in _REJECTED):
        return CallOutcome.PERSON
    if data.get("success") is False and error.get("code") in ("denied", "rejected"):
        return CallOutcome.HOST
    return CallOutcome.RAN
