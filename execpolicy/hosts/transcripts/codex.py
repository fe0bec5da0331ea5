"""Codex: one JSON line for each item (`~/.codex/sessions/YEAR/MONTH/DAY/rollout-….jsonl`).

Recorded with 0.169.0 and 0.171.0. A model that writes programs calls its tools from them: what ran
then stands in `item_completed`. Refusals are normalised by the host
(codex-rs/core/src/tools/events.rs: `exec command rejected by user`).
"""

import json
from collections.abc import Iterable

from execpolicy.hosts.transcripts.call import CallOutcome
from execpolicy.hosts.transcripts.files import Record
from execpolicy.hosts.transcripts.gather import Gathered, place, result_text, table, text

PLACES = (".codex/sessions", ".codex/archived_sessions")
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_ENDS = ("function_call_output", "custom_tool_call_output")
_RESULT = ("Chunk ID", "Exit code", "Script ", '{"output"', "Wall time")
_REFUSED = ("Blocked by", "Command blocked by ")
_SHELLS = frozenset(("bash", "sh", "zsh"))
_PROGRAM = "exec"
"""The tool that is given a program; its name is that of no shell here."""


def knows(record: Record) -> bool:
    """Whether a record is of this host. Before 0.40 the first line was the head itself."""
    payload = record.get("payload")
    head = "instructions" in record and "timestamp" in record and "id" in record
    return (isinstance(payload, dict) and "timestamp" in record) or head


def read(records: Iterable[Record], into: Gathered) -> None:
    """Take the calls of a session."""
    for record in records:
        payload = table(record, "payload") or record
        time, kind = record.get("timestamp"), record.get("type")
        if kind == "session_meta" or "instructions" in record:
            _head(payload, into)
        elif kind == "turn_context":
            into.cwd = place(payload.get("cwd")) or into.cwd
        elif payload.get("type") in _CALLS:
            _call(payload, time, into)
        elif payload.get("type") in _ENDS:
            into.end(payload.get("call_id"), _outcome(payload.get("output")))
        elif payload.get("type") == "item_completed":
            _item(table(payload, "item"), time, into)


def _head(payload: Record, into: Gathered) -> None:
    into.session = text(payload.get("id")) or into.session
    into.cwd = place(payload.get("cwd")) or into.cwd
    into.root = into.root or into.cwd
    source = payload.get("source")
    into.sub = isinstance(source, dict) and "subagent" in source


def _call(payload: Record, time: object, into: Gathered) -> None:
    """A call, but for the program of a model that calls its tools from one."""
    name, given = payload.get("name"), payload.get("arguments", payload.get("input"))
    if payload.get("type") == "local_shell_call":
        name, given = "local_shell", table(payload, "action")
    if payload.get("type") == "custom_tool_call":
        if name == _PROGRAM:
            return
        given = {"input": given}
    elif isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = {}
    if isinstance(given, dict):
        given = _unwrapped(given)
    into.begin(payload.get("call_id", payload.get("id")), name, given, time)


def _unwrapped(given: Record) -> Record:
    """The input with the script in the place of the shell that Codex itself starts for it."""
    words = given.get("command")
    if isinstance(words, list) and len(words) == 3 and words[1] in ("-lc", "-c"):
        given = {**given, "command": words[2]} if _is_shell(words[0]) else given
    return {k: v for k, v in given.items() if k not in ("env", "with_escalated_permissions")}


def _is_shell(word: object) -> bool:
    return isinstance(word, str) and word.rpartition("/")[2] in _SHELLS


def _item(item: Record, time: object, into: Gathered) -> None:
    """What ran. Of a call that stands there as one already it is the outcome."""
    if item.get("type") != "CommandExecution":
        return
    cwd = text(item.get("cwd")).removeprefix("file://")
    given = _unwrapped({"command": item.get("command")})
    into.begin(item.get("id"), "exec_command", given, time, cwd)
    into.end(item.get("id"), _of_item(item))


def _of_item(item: Record) -> CallOutcome:
    if item.get("status") != "declined":
        return CallOutcome.RAN
    by_user = "rejected by user" in text(item.get("aggregated_output"))
    return CallOutcome.PERSON if by_user else CallOutcome.HOST


def _outcome(output: object) -> CallOutcome:
    result = text(table(output).get("content")) if isinstance(output, dict) else result_text(output)
    if "rejected by user" in result[:400] and not result.startswith(_RESULT):
        return CallOutcome.PERSON
    if result.startswith(_REFUSED) or "blocked by policy" in result[:200]:
        return CallOutcome.HOST
    return CallOutcome.RAN
