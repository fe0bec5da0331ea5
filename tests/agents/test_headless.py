"""Hosts that ask no user: where a hook can tell, a question is a refusal with its reason."""

import json

import pytest

from execpolicy.commands.hook import Hook

GEMINI = {
    "hook_event_name": "BeforeTool",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "git push"},
}


@pytest.mark.parametrize(
    ("variables", "decision"),
    [
        ({}, "ask"),
        ({"CI": "true"}, "deny"),
        ({"GITHUB_ACTIONS": "true"}, "deny"),
        ({"GITHUB_ENV": "/x"}, "deny"),  # what the host leaves of them under GitHub's own sign
        ({"CI": "false"}, "ask"),  # the host takes nothing but `true` for a yes
        ({"CI": ""}, "ask"),
    ],
)
def test_gemini_in_a_ci(
    variables: dict[str, str], decision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    said = json.loads(Hook("gemini").answer(json.dumps(GEMINI).encode()).stdout)
    assert said["decision"] == decision
    assert ("the user cannot be asked here" in said["reason"]) is (decision == "deny")


def test_what_is_allowed_there_is_still_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    payload = {**GEMINI, "tool_input": {"command": "git status"}}
    assert Hook("gemini").answer(json.dumps(payload).encode()).stdout == '{"decision": "allow"}\n'
