"""Transcripts of agents, recorded with the hosts' own programs in two versions each.

The model of `tests/agents/paper.py` asked for the same five things. Long texts that are not calls
are cut, and the home is `/home/user`.
"""

import io
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.hosts.payloads.words import FORBIDS, NEEDS
from execpolicy.hosts.transcripts import files, read
from execpolicy.hosts.transcripts.call import CallOutcome, TranscriptCall
from execpolicy.model.errors import ExecPolicyError
from execpolicy.model.operation import Access
from tests.examples import examples

RECORDED = sorted((Path(__file__).parent / "transcripts").glob("*.jsonl"))
WORK = "/home/user/work"
Records = list[dict[str, Any]]


def lines(path: Path) -> Records:
    return [json.loads(line) for line in path.read_text().splitlines()]


def calls(records: Records) -> list[TranscriptCall]:
    """The calls of records, each as often as a reader gives it."""
    gathered = read.of_records(iter(records))
    return list(gathered.calls) if gathered else []


def what(call: TranscriptCall) -> tuple[str, ...]:
    """A call of a shell by its text, one of files by its modes and paths."""
    request = call.request
    if request.text is not None:
        return (request.text,)
    return tuple(f"{o.mode} {o.path}" for o in request.operations or () if isinstance(o, Access))


def wanted(host: str) -> list[tuple[str, ...]]:
    """What the model asked for, in the tools that the host has for it."""
    by_shell = host == "codex"
    reads = f"cat {WORK}/a.txt" if by_shell else f"read {WORK}/a.txt"
    writes = f"echo written > {WORK}/b.txt" if by_shell else f"write {WORK}/b.txt"
    asked = ["ls -a | head -3", reads, writes, "cd sub && false", "touch ran"]
    if host == "pi":  # the model knew no tool of it that writes
        asked[1:3] = [reads]
    return [(each,) if each else () for each in asked]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_the_calls_are_those_that_the_model_made(path: Path) -> None:
    found = calls(lines(path))
    host = path.stem.split("-")[0]
    assert [what(call) for call in found if what(call)] == [w for w in wanted(host) if w]
    assert {call.agent for call in found} == {host}
    assert {(call.root, call.request.cwd, call.sub) for call in found} <= {
        (WORK, WORK, False),
        (None, None, False),  # Gemini writes the directory into a file beside the session
    }
    assert len({call.session for call in found}) == 1
    assert all(call.time.startswith("2026-11-29T01:3") and call.time[-1] == "Z" for call in found)
    expected = (
        {CallOutcome.RAN, CallOutcome.HOST} if path.stem == "claude-2.1.197" else {CallOutcome.RAN}
    )
    assert {call.outcome for call in found} == expected


def claude(result: object, error: bool = True, used: object = "") -> Records:
    head = {"sessionId": "s", "parentUuid": None, "cwd": "/p"}
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make x"}}
    answer = {"type": "tool_result", "tool_use_id": "t", "content": result, "is_error": error}
    return [
        {**head, "type": "assistant", "message": {"content": [call]}},
        {**head, "type": "user", "message": {"content": [answer]}, "toolUseResult": used},
    ]


def codex(output: object) -> Records:
    given = json.dumps({"command": ["bash", "-lc", "make x"], "workdir": "/p/sub"})
    call = {"type": "function_call", "name": "shell", "arguments": given, "call_id": "c"}
    end = {"type": "function_call_output", "call_id": "c", "output": output}
    head = {"type": "session_meta", "payload": {"id": "s", "cwd": "/p"}, "timestamp": ""}
    items = [{"type": "response_item", "payload": p, "timestamp": ""} for p in (call, end)]
    return [head, *items]


def gemini(status: str, error: str = "") -> Records:
    result = [{"functionResponse": {"response": {"error": error}}}]
    call = {"id": "c", "name": "run_shell_command", "args": {"command": "make x"}}
    message = {"type": "gemini", "toolCalls": [{**call, "status": status, "result": result}]}
    return [{"sessionId": "s", "projectHash": "h", "messages": [message]}]


def qwen(**result: str) -> Records:
    head = {"sessionId": "s", "parentUuid": None, "cwd": "/p"}
    call = {"id": "c", "name": "run_shell_command", "args": {"command": "make x"}}
    return [
        {**head, "type": "assistant", "message": {"parts": [{"functionCall": call}]}},
        {**head, "type": "tool_result", "toolCallResult": {"callId": "c", **result}},
    ]


def opencode(error: str) -> Records:
    state = {"status": "error", "input": {"command": "make x"}, "error": error}
    return [{"type": "tool", "tool": "bash", "callID": "c", "state": state, "sessionID": "s"}]


def copilot(answer: str, decided: bool = True) -> Records:
    request = {"toolCallId": "c", "name": "bash", "arguments": {"command": "make x"}}
    events: list[tuple[str, object]] = [("assistant.message", {"toolRequests": [request]})]
    if decided:
        asked = {"requestId": "r", "permissionRequest": {"kind": "shell", "toolCallId": "c"}}
        events.append(("permission.requested", asked))
        events.append(("permission.completed", {"requestId": "r", "result": {"kind": answer}}))
    message = "" if decided else answer
    done = {"toolCallId": "c", "success": False, "error": {"message": message}}
    events.append(("tool.execution_complete", done))
    return [{"type": kind, "data": data, "parentId": None} for kind, data in events]


def pi(text: str) -> Records:
    call = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "make x"}}
    blocks = [{"type": "text", "text": text}]
    result = {"role": "toolResult", "toolCallId": "c", "content": blocks, "isError": True}
    messages = ({"role": "assistant", "content": [call]}, result)
    return [{"type": "message", "id": "i", "message": message} for message in messages]


NO = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. …"
ANSWERS = [
    ("a person refused it", claude(NO), CallOutcome.PERSON),
    ("in a list of blocks", claude([{"type": "text", "text": NO}]), CallOutcome.PERSON),
    ("told beside the result", claude("Error", used="User rejected tool use"), CallOutcome.PERSON),
    ("a rule of the host", claude("Permission to use Bash has been denied."), CallOutcome.HOST),
    ("nobody could be asked", claude("Claude requested permissions to use Bash"), CallOutcome.HOST),
    ("this hook", claude(f"{FORBIDS}: `make x`"), CallOutcome.HOST),
    ("this hook asks elsewhere", claude(f"{NEEDS} K7QX2M: `make x`"), CallOutcome.HOST),
    ("this hook", codex(f"Command blocked by PreToolUse hook: {FORBIDS}"), CallOutcome.HOST),
    ("a hook", gemini("error", "Tool execution blocked: no"), CallOutcome.HOST),
    ("this hook", opencode(f"{FORBIDS}: `make x`"), CallOutcome.HOST),
    ("a command that failed", claude("Exit code 1"), CallOutcome.RAN),
    ("a command that prints such words", claude(f"grep: {NO}", error=False), CallOutcome.RAN),
    ("a person refused it", codex("exec command rejected by user"), CallOutcome.PERSON),
    ("in an older form", codex({"content": "exec command rejected by user"}), CallOutcome.PERSON),
    ("printed by the command", codex("Exit code: 0\nOutput: rejected by user"), CallOutcome.RAN),
    ("a person refused it", gemini("cancelled"), CallOutcome.PERSON),
    ("by its words", gemini("error", "User denied execution."), CallOutcome.PERSON),
    ("a policy of the host", gemini("error", "Tool execution denied by policy."), CallOutcome.HOST),
    ("a person refused it", qwen(status="cancelled"), CallOutcome.PERSON),
    ("a hook", qwen(status="error", errorType="execution_denied"), CallOutcome.HOST),
    (
        "a person refused it",
        opencode("The user rejected permission to use this"),
        CallOutcome.PERSON,
    ),
    ("a rule of the host", opencode("The user has specified a rule which"), CallOutcome.HOST),
    ("aborted", opencode("Tool execution aborted"), CallOutcome.RAN),
    ("a person refused it", copilot("denied-interactively-by-user"), CallOutcome.PERSON),
    ("a rule of the host", copilot("denied-by-rules"), CallOutcome.HOST),
    ("without an event of its own", copilot("rejected by the user", False), CallOutcome.PERSON),
    ("a gate refused it", pi("Blocked by user"), CallOutcome.PERSON),
    ("a command that failed", pi("Command exited with code 1"), CallOutcome.RAN),
]


@pytest.mark.parametrize(("why", "records", "outcome"), ANSWERS, ids=lambda each: str(each)[:30])
def test_what_was_answered_is_read(why: str, records: Records, outcome: CallOutcome) -> None:
    (call,) = calls(records)
    assert (call.request.text, call.outcome) == ("make x", outcome)


def test_a_directory_of_the_call_counts() -> None:
    (call,) = calls(codex("Exit code: 0"))
    assert (call.root, call.request.cwd) == ("/p", "/p/sub")


def test_a_sub_agent_is_told() -> None:
    records = [{**record, "isSidechain": True} for record in claude("x", error=False)]
    assert [call.sub for call in calls(records)] == [True]


def test_a_log_of_ours_has_a_call_a_line() -> None:
    line = {
        "command": "make x",
        "cwd": "/p",
        "session": "s",
        "agent": "claude",
        "decision": "allow",
    }
    without = {"decision": "allow", "digest": "d", "operations": []}
    records: Records = [line, line, without]
    gathered = read.of_records(iter(records))
    assert gathered is not None
    assert [(c.shown, c.session) for c in gathered.calls] == [("make x", "s")] * 2
    assert gathered.unread == 1


def test_a_call_that_sessions_repeat_counts_once_and_stays_refused(tmp_path: Path) -> None:
    for name, result in (("a", "x"), ("b", NO)):
        text = "".join(json.dumps(record) + "\n" for record in claude(result))
        (tmp_path / f"{name}.jsonl").write_text(text)
    (call,) = read.read([str(tmp_path)]).calls
    assert call.outcome is CallOutcome.PERSON


def test_a_database_of_opencode_is_read(tmp_path: Path) -> None:
    records = lines(next(path for path in RECORDED if path.stem.startswith("opencode")))
    path = tmp_path / "opencode.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE session(id, directory, parent_id)")
        database.execute("CREATE TABLE part(id, session_id, data)")
        database.execute("INSERT INTO session VALUES (?, ?, 'p')", (records[0]["sessionID"], WORK))
        for number, record in enumerate(records):
            values = number, record["sessionID"], json.dumps(record)
            database.execute("INSERT INTO part VALUES (?, ?, ?)", values)
    database.close()
    found = read.read([str(path)]).calls
    assert [what(call) for call in found] == wanted("opencode")
    assert {(call.root, call.sub) for call in found} == {(WORK, True)}


@pytest.mark.parametrize("kind", ["view", "noise"])
def test_a_hostile_database_gives_nothing(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "opencode.db"
    if kind == "noise":
        path.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 40)
    else:
        with sqlite3.connect(path) as database:
            endless = (
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x, x"
            )
            database.execute(f"CREATE VIEW part(id, session_id, data) AS {endless} FROM n")
            database.execute("CREATE TABLE session(id, directory, parent_id)")
        database.close()
    assert read.read([str(path)]).calls == ()


def test_the_project_of_gemini_stands_beside_the_chats(tmp_path: Path) -> None:
    chats = tmp_path / "tmp/work/chats"
    chats.mkdir(parents=True)
    (chats.parent / ".project_root").write_text(WORK)
    source = next(path for path in RECORDED if path.stem.startswith("gemini"))
    (chats / "session-1.jsonl").write_text(source.read_text())
    assert {call.root for call in read.read([str(tmp_path)]).calls} == {WORK}


def test_they_are_found_where_they_lie(home: Path) -> None:
    log = home / ".local/state/execpolicy/audit.jsonl"
    places = (
        ".claude/projects/-p/s.jsonl",
        ".codex/sessions/2026/11/29/rollout-x.jsonl",
        ".copilot/session-state/s/events.jsonl",
        ".gemini/tmp/p/chats/session-1.json",
        ".local/share/opencode/opencode.db",
        ".pi/agent/sessions/--p--/t_s.jsonl",
        ".qwen/projects/-p/chats/s.jsonl",
    )
    for name in (*places, ".gemini/tmp/p/logs.json", ".copilot/session-state/s/index.json"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("{}\n")
    log.parent.mkdir(parents=True)
    log.write_text("")
    found = {*read.found(str(home), [str(log), f"{log}.1"])}
    assert found == {str(log), *(str(home / place) for place in places)}


def test_no_link_is_followed_unless_it_was_named(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    real = tmp_path / "there/s.jsonl"
    real.write_text("".join(json.dumps(record) + "\n" for record in claude("x")))
    (tmp_path / "here").mkdir()
    (tmp_path / "here/link.jsonl").symlink_to(real)
    (tmp_path / "here/folder").symlink_to(tmp_path / "there")
    assert read.read([str(tmp_path / "here")]).files == 0
    assert len(read.read([str(tmp_path / "here/link.jsonl")]).calls) == 1


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    for name in ("pipe.jsonl", "missing.jsonl"):
        with pytest.raises(ExecPolicyError):
            read.read([str(tmp_path / name)])


def test_a_line_that_is_too_long_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 1024)
    long = json.dumps({"command": "x" * 5000})
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join((json.dumps({"command": "a"}), long, json.dumps({"command": "b"}))))
    assert [call.shown for call in read.read([str(path)]).calls] == ["a", "b"]


HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["\ud800", "\0", "/", "../../etc", [[[]]], {"a": {}}, [None], 10**400]),
)


@examples(300)
@given(st.sampled_from(RECORDED), st.data())
def test_a_file_that_was_changed_invents_no_call(path: Path, data: st.DataObject) -> None:
    """Lines removed, doubled, exchanged or with any value in the place of another: what is read is
    some of the calls that were made, or one with a value that was put there."""
    records = lines(path)
    before = {call.shown for call in calls(records)}
    put: list[object] = []
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(records) - 1))
        change = data.draw(st.sampled_from(["drop", "double", "move", "value"]))
        if change == "drop" and len(records) > 1:
            del records[at]
        elif change == "double":
            records.insert(at, records[at])
        elif change == "move":
            records.insert(0, records.pop(at))
        else:
            put.append(_change(records[at], data.draw))
    for call in calls(records):
        assert call.shown in before or any(str(value) in call.shown for value in put)


def _change(value: Any, draw: Callable[..., Any]) -> object:
    """Put something else in the place of a value, somewhere in a record."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return ""
        key = draw(st.sampled_from(keys))
        if isinstance(value[key], (dict, list)) and value[key] and draw(st.booleans()):
            value = value[key]
            continue
        value[key] = draw(HOSTILE)
        return value[key]


@examples(300)
@given(st.sampled_from(RECORDED), st.data())
def test_noise_is_read_without_an_error(path: Path, data: st.DataObject) -> None:
    """Bytes that were changed, cut or put in: what is read stands in the file."""
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(content) - 1))
        size = data.draw(st.integers(0, 40))
        content[at : at + size] = data.draw(st.binary(max_size=40))
    gathered = read.of_records(files.records(io.BufferedReader(io.BytesIO(content))))
    for call in gathered.calls if gathered else ():
        told = json.dumps(call.request.text or "")[1:-1]
        assert told.encode() in content or not told.isascii() or "\\" in told
