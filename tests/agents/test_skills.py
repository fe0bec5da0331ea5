"""Commands that stand in a skill or a slash command, and that no model calls."""

import json
from pathlib import Path

import pytest

from execpolicy.commands.hook import Hook
from execpolicy.hosts.install.host import HOSTS
from tests.repositories import new_repository

SKILL = "PreSkillShellCommand"


def said(project: Path, command: str, source: str, mode: str = "default") -> str:
    """What the hook says: `deny`, or `silent` for nothing. Nothing else may be said there."""
    payload = {
        "hook_event_name": SKILL, "cwd": str(project), "session_id": "s", "permission_mode": mode,
        "tool_name": "Bash", "tool_input": {"command": command}, "command_name": "review",
        "command_source": source, "invoked_by": "user",
    }  # fmt: skip
    reply = Hook("claude").answer(json.dumps(payload).encode())
    if not reply.stdout:
        return "silent"
    found = json.loads(reply.stdout)["hookSpecificOutput"]
    assert found["hookEventName"] == SKILL
    assert found["permissionDecisionReason"]
    assert found.keys() == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    return str(found["permissionDecision"])


CASES = [
    ("git status", "silent", "silent"),
    ("rm -rf /", "deny", "deny"),
    ("curl https://a.example/x", "deny", "silent"),
    ("git push", "deny", "silent"),
    ("npm test", "deny", "silent"),
    ("cat .env", "deny", "deny"),
    ("eval $x", "deny", "deny"),
    ("touch .git/hooks/pre-commit", "deny", "deny"),
]


@pytest.mark.parametrize(("command", "of_project", "of_user"), CASES)
@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions", "auto"])
def test_what_is_said(
    tmp_path: Path, command: str, of_project: str, of_user: str, mode: str
) -> None:
    new_repository(tmp_path)
    for source in ("projectSettings", "localSettings", "plugin", "mcp", "", "another"):
        assert said(tmp_path, command, source, mode) == of_project
    for source in ("userSettings", "policySettings", "bundled"):
        assert said(tmp_path, command, source, mode) == of_user


def test_install_puts_a_hook_there() -> None:
    assert SKILL in {entry.path[-1] for entry in HOSTS["claude"].entries}
