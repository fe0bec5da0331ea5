"""What the processes that are measured are asked."""

import json

LOOP = 'for f in *.py; do echo "$(wc -l "$f")"; done'
_CALL = {
    "session_id": "x",
    "cwd": "/",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "git push"},
}
PAYLOAD = json.dumps(_CALL).encode()
"""What Claude Code writes to its hook before a command."""
