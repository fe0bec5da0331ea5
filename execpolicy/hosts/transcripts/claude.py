"""Claude Code: one JSON line for each message (`~/.claude/projects/DIRECTORY/SESSION.jsonl`).

Recorded with 2.1.197 and 2.1.292; the words of refusals are those of these programs. A sub-agent's
lines have `isSidechain`, in the session's file or in one of its own below `subagents/`.
"""

from collections.abc import Iterable

from execpolicy.hosts.transcripts.call import CallOutcome
from execpolicy.hosts.transcripts.files import Record
from execpolicy.hosts.transcripts.gather import (
    OURS,
    Gathered,
    place,
    result_text,
    table,
    tables,
    text,
)

PLACES = (".claude/projects",)
_PERSON = ("The user doesn't want to proceed", "The user doesn't want to take this action")
_HOST = ("Claude requested permissions", "Permission to use ", "Permission for this action", *OURS)
_WALLED = " was blocked. For security, Claude Code may only "


def knows(record: Record) -> bool:
    """Whether a record is of this host: each has the session, and most the message before."""
    return "sessionId" in record and ("parentUuid" in record or "leafUuid" in record)


def read(records: Iterable[Record], into: Gathered) -> None:
    """Take the calls of a session."""
    for record in records:
        into.session = text(record.get("sessionId")) or into.session
        into.cwd = place(record.get("cwd")) or into.cwd
        into.root = into.root or into.cwd
        into.sub = record.get("isSidechain") is True
        for block in tables(table(record, "message").get("content")):
            if record.get("type") == "assistant" and block.get("type") == "tool_use":
                time = record.get("timestamp")
                into.begin(block.get("id"), block.get("name"), block.get("input"), time)
            elif record.get("type") == "user" and block.get("type") == "tool_result":
                into.end(block.get("tool_use_id"), _outcome(block, record))


def _outcome(block: Record, record: Record) -> CallOutcome:
    result = result_text(block.get("content")).removeprefix("<tool_use_error>")
    refused = text(record.get("toolUseResult"))
    if result.startswith(_PERSON) or refused == "User rejected tool use":
        return CallOutcome.PERSON
    is_error = block.get("is_error") is True
    if is_error and (
        result.startswith(_HOST) or _WALLED in result[:4096] or "PreToolUse:" in result[:200]
    ):
        return CallOutcome.HOST
    return CallOutcome.RAN
