"""Qwen Code: `~/.qwen/projects/DIRECTORY/chats/SESSION.jsonl`, a line for each message.

Recorded with 0.15.10 and 0.24.4. Calls are Google's `functionCall`; a result says its `status`.
"""

from collections.abc import Iterable

from execpolicy.hosts.transcripts.call import CallOutcome
from execpolicy.hosts.transcripts.files import Record
from execpolicy.hosts.transcripts.gather import Gathered, place, table, tables, text

PLACES = (".qwen/projects",)


def knows(record: Record) -> bool:
    """Whether a record is of this host: Claude Code's fields around Google's messages."""
    is_line = "sessionId" in record and "parentUuid" in record
    return is_line and ("parts" in table(record, "message") or "toolCallResult" in record)


def read(records: Iterable[Record], into: Gathered) -> None:
    """Take the calls of a session."""
    for record in records:
        into.session = text(record.get("sessionId")) or into.session
        into.cwd = place(record.get("cwd")) or into.cwd
        into.root = into.root or into.cwd
        into.sub = "agentId" in record or record.get("isSidechain") is True
        for part in tables(table(record, "message").get("parts")):
            call = table(part, "functionCall")
            if record.get("type") == "assistant" and call:
                time = record.get("timestamp")
                into.begin(call.get("id"), call.get("name"), call.get("args"), time)
        if record.get("type") == "tool_result":
            result = table(record, "toolCallResult")
            into.end(result.get("callId"), _outcome(result))


def _outcome(result: Record) -> CallOutcome:
    status = result.get("status")
    if status == "cancelled":
        return CallOutcome.PERSON
    if status == "error" and result.get("errorType") == "execution_denied":
        return CallOutcome.HOST
    return CallOutcome.RAN if status in ("success", "error") else CallOutcome.UNKNOWN
