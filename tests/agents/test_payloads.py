"""Payloads that are none: nothing is granted, the host asks, or refuses if the user says so."""

import json
from pathlib import Path

import pytest

from execpolicy.commands.hook import Hook
from execpolicy.hosts.payloads.protocol import PayloadError, Reply
from execpolicy.hosts.payloads.tools import request
from execpolicy.hosts.protocols import AGENTS
from tests.agents import support

_BEFORE = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": '

# How each host's answer begins, where there is no verdict and it can be made to ask, and where not.
ASK = {
    "antigravity": '{"decision": "force_ask", "reason": "execpolicy could not decide: ',
    "claude": f'{_BEFORE}"ask"',
    "copilot": '{"permissionDecision": "ask", ',
    "cursor": '{"permission": "ask", ',
    "droid": f'{_BEFORE}"ask"',
    "gemini": '{"decision": "ask", "reason": "execpolicy could not decide: ',
}
DENY = {
    host: said.replace('"force_ask"', '"ask"').replace('"ask"', '"deny"')
    for host, said in ASK.items()
}
DENY |= {
    "codex": f'{_BEFORE}"deny"',
    "opencode": '{"decision": "forbidden", "reason": "needs approval',
    "qwen": f'{_BEFORE}"deny"',
    "windsurf": "",
}

PAYLOADS: dict[str, bytes] = {
    "empty": b"",
    "spaces": b" \n",
    "truncated": b'{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_inp',
    "not UTF-8": b'{"hook_event_name": "\xff\xfe"}',
    "a list": b"[]",
    "null": b"null",
    "two objects": b"{}{}",
    "no field": b"{}",
    "deep": b'{"a":' + b"[" * 100_000,
    "NaN alone": b"NaN",
    "no JSON": b"<html>",
}


@pytest.mark.parametrize("data", PAYLOADS.values(), ids=PAYLOADS)
@pytest.mark.parametrize("host", AGENTS)
def test_what_is_no_payload_makes_the_host_ask_or_is_refused(
    host: str, data: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    reply = Hook(host).answer(data)
    begins = ASK.get(host, DENY[host])
    assert reply.stdout.startswith(begins)
    assert bool(reply.stdout) == bool(begins)
    assert reply.code == (2 if host == "windsurf" else 0)
    assert capfd.readouterr().err.startswith("execpolicy: the payload of the host: ")


OTHERS = {
    "copilot": b'{"hookEventName": "sessionStart"}',
    "windsurf": b'{"agent_action_name": "post_run_command"}',
}


@pytest.mark.parametrize("host", [h for h in AGENTS if h not in ("antigravity", "opencode")])
def test_of_another_event_nothing_is_said(host: str) -> None:
    other = OTHERS.get(host, b'{"hook_event_name": "Stop", "session_id": "s"}')
    assert Hook(host).answer(other) == Reply()


@pytest.mark.parametrize("data", PAYLOADS.values(), ids=PAYLOADS)
@pytest.mark.parametrize("host", AGENTS)
def test_or_refuse_where_the_person_says_so(
    host: str, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXECPOLICY_UNDECIDED", "deny")
    reply = Hook(host).answer(data)
    assert reply.stdout.startswith(DENY[host])
    assert bool(reply.stdout) == bool(DENY[host])
    assert reply.code == (2 if host == "windsurf" else 0)


WRONG: list[object] = [None, 1, True, [], {}, [1], {"command": 1}, {"command": None}]
FIELDS = {
    "antigravity": ["toolCall"],
    "claude": ["hook_event_name", "tool_name", "tool_input"],
    "codex": ["hook_event_name", "tool_name", "tool_input"],
    "copilot": ["toolName", "toolArgs"],
    "cursor": ["hook_event_name", "command"],
    "droid": ["hook_event_name", "tool_name", "tool_input"],
    "gemini": ["hook_event_name", "tool_name", "tool_input"],
    "opencode": ["tool", "args"],
    "qwen": ["hook_event_name", "tool_name", "tool_input"],
    "windsurf": ["agent_action_name", "tool_info"],
}


@pytest.mark.parametrize("wrong", WRONG, ids=json.dumps)
@pytest.mark.parametrize("host", AGENTS)
def test_fields_of_a_wrong_type_grant_nothing(host: str, wrong: object, home: Path) -> None:
    support.write_rules(home)
    recorded = support.HERE / host / "shell_allow.json"
    payload = json.loads(recorded.read_text())["payload"]
    for field in FIELDS[host]:
        reply = Hook(host).answer(json.dumps({**payload, field: wrong}).encode())
        assert reply.stdout.startswith(ASK.get(host, DENY[host])), field
        assert bool(reply.stdout) == bool(DENY[host])
        assert bool(reply.code) == (host == "windsurf")


@pytest.mark.parametrize("host", AGENTS)
def test_other_fields_of_a_wrong_type_change_nothing(host: str, home: Path) -> None:
    support.write_rules(home)
    recorded = json.loads((support.HERE / host / "shell_forbidden.json").read_text())
    for field in set(recorded["payload"]) - set(FIELDS[host]):
        wrongs: list[object] = [None, 1, [], {}, "\0", "relative"]
        for wrong in wrongs:
            payload = {**recorded["payload"], field: wrong}
            reply = support.exchange(host, payload, home)
            told = json.dumps(reply)
            assert "use --force-with-lease" in told or "execpolicy could not decide" in told


def test_two_spellings_of_the_command_are_not_guessed_between() -> None:
    given = {"command": "ls", "cmd": ["rm", "-rf", "/"]}
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": given}
    assert '"ask"' in Hook("claude").answer(json.dumps(payload).encode()).stdout


def test_ten_megabytes_are_answered() -> None:
    for tool, given in (
        ("Bash", {"command": "echo " + "x" * 10_000_000}),
        ("Bash", {"command": "ls;" * 3_000_000}),
        ("Write", {"file_path": "/a", "content": "x" * 10_000_000}),
    ):
        payload = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
        assert '"ask"' in Hook("claude").answer(json.dumps(payload).encode()).stdout


def test_more_than_anybody_sends_is_not_read() -> None:
    assert "longer than" in Hook("claude").answer(b" " * (32 * 1024 * 1024 + 1)).stdout


@pytest.mark.parametrize("host", AGENTS)
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("shell", {"command": "ls", "env": {"LD_PRELOAD": "./x.so"}}),
        ("shell", {"command": "ls", "environment": ["LD_PRELOAD=./x.so"]}),
        ("shell", {"command": "ls", "interpreter": "python3"}),
        ("shell", {"command": "ls", "arguments": ["; ./x"]}),
        ("shell", {"command": "ls", "args": ["-la", "; ./x"]}),
        ("shell", {"command": "ls", "commands": ["./x"]}),
        ("read", {"file_path": " .env"}),
        ("read", {"path": "src/a.py\n"}),
    ],
)
def test_what_a_host_may_take_in_another_way_is_not_granted(
    host: str, tool: str, given: dict[str, object], tmp_path: Path
) -> None:
    with pytest.raises(PayloadError, match=r"not known|blanks|both given"):
        request(tool, given, host, {"cwd": str(tmp_path)})
