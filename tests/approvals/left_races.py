"""One process of the race over questions that were left: `python -m tests.approvals.left_races`.

ask PROJECT NUMBER     makes one call until it passes, then says how often it was refused
leave PROJECT NUMBER   makes one call and is killed
answer DONE            answers whatever waits, as one terminal of several, until the file is there
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from execpolicy.commands import hook, replying
from execpolicy.commands.pending_page import questions
from execpolicy.model.approval import Life
from execpolicy.model.errors import ExecPolicyError


def ask(project: str, number: str) -> None:
    """Make the call again and again, as an agent that was told to."""
    refused = 0
    while not passes(project, number):
        refused += 1
        time.sleep(0.05)
    print(refused)


def leave(project: str, number: str) -> None:
    """Make the call, and be killed."""
    passes(project, number)
    os.kill(os.getpid(), signal.SIGKILL)


def passes(project: str, number: str) -> bool:
    """Whether the hook lets the call of this number pass."""
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": f"s{number}",
        "cwd": project,
        "permission_mode": "bypassPermissions",
        "tool_name": "Bash",
        "tool_input": {"command": f"git push origin topic-{number}"},
    }
    said = json.loads(hook.Hook("claude").answer(json.dumps(payload).encode()).stdout)
    return bool(said["hookSpecificOutput"]["permissionDecision"] == "allow")


def answer(done: str) -> None:
    """Answer what waits, the oldest first, until the file `done` is there."""
    given = 0
    while not Path(done).exists():
        for question in questions():
            try:
                replying.answer(question, Life.ONCE)
                given += 1
            except (ExecPolicyError, OSError):  # another one was faster, or the ledger is busy
                continue
        time.sleep(0.02)
    print(given)


if __name__ == "__main__":
    hook.SECONDS = 600.0
    if sys.argv[1] == "answer":
        answer(sys.argv[2])
    else:
        {"ask": ask, "leave": leave}[sys.argv[1]](*sys.argv[2:])
