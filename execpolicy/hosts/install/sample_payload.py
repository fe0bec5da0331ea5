"""A payload of each host with everything it always sends, to try an installed hook with."""

import json

FORBIDDEN = "rm -rf /"
"""What no shipped or sensible policy allows. It is only ever judged."""

_EVENTS = {"gemini": ("BeforeTool", "run_shell_command"), "droid": ("PreToolUse", "Execute")}


def payload(host: str, command: str) -> "dict[str, object]":
    """What the host would send before it runs the command."""
    if host == "antigravity":
        call = {"name": "run_command", "args": {"CommandLine": command, "Cwd": "/"}}
        return {"toolCall": call, "conversationId": "doctor", "workspacePaths": ["/"]}
    if host == "copilot":
        arguments = json.dumps({"command": command})
        return {"sessionId": "doctor", "cwd": "/", "toolName": "bash", "toolArgs": arguments}
    if host == "cursor":
        event = {"hook_event_name": "beforeShellExecution", "cursor_version": "2.1.46"}
        return {**event, "command": command, "cwd": "/", "workspace_roots": ["/"]}
    if host == "opencode":
        return {"tool": "bash", "args": {"command": command}, "cwd": "/", "session": "doctor"}
    if host == "windsurf":
        info = {"command_line": command, "cwd": "/"}
        return {"agent_action_name": "pre_run_command", "tool_info": info}
    event_name, tool = _EVENTS.get(host, ("PreToolUse", "Bash"))
    base = {"session_id": "doctor", "cwd": "/", "hook_event_name": event_name}
    turn = {"turn_id": "doctor"} if host == "codex" else {}
    return {**base, **turn, "tool_name": tool, "tool_input": {"command": command}}


def refuses(host: str, stdout: bytes, code: int) -> bool:
    """Whether an answer is the host's form of a refusal."""
    if host == "windsurf":
        return code == 2
    try:
        said = json.loads(stdout)
    except ValueError:
        return False
    inner = said.get("hookSpecificOutput", said)
    words = (inner.get(k) for k in ("permissionDecision", "decision", "permission"))
    return code == 0 and any(word in ("deny", "forbidden") for word in words)
