"""The processes that this one was started by: a host, or the terminal that the user types at."""

import os

from execpolicy.support import processes

_AGENTS = """
    claude codex gemini cursor-agent copilot opencode qwen windsurf droid crush amp goose
"""
AGENTS = frozenset(_AGENTS.split())
"""Programs of hosts: what is typed below them is not typed by the user."""
MARKS = ("CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE", "QWEN_CODE")
"""Variables that hosts set for what they run."""
MAX_PARENTS = 64
_STARTED = 19
"""The number, after the name, of the field with the time at which a process began (proc(5))."""


def below_agent() -> bool:
    """Whether a host started this process, by its variables or by a process above."""
    return any(os.environ.get(name) for name in MARKS) or _agent() > 0


def _agent() -> int:
    """The process above that is a host's, by its number; 0 where there is none."""
    process = os.getppid()
    for _ in range(MAX_PARENTS):
        try:
            name, fields = processes.status(process)
        except OSError:
            return 0
        if name in AGENTS:
            return process
        process = int(fields[1])
        if process <= 1:
            return 0
    return 0


def session_leader() -> str:
    """The process that what runs share lasts as long as: the host above, else that which began the
    session of the terminal. Empty where this process began one for itself."""
    leader = _agent() or os.getsid(0)
    name = processes.name_of(leader)
    return name if leader != os.getpid() and processes.lives(name) else ""


def terminal_session() -> str:
    """The session of the terminal that this process belongs to: its number and when it began.

    Empty where the process that began it has gone, or an agent is between: what the user answered
    there is not for what the agent starts.
    """
    leader = os.getsid(0)
    try:
        fields = processes.status(leader)[1]
    except OSError:
        return ""
    return "" if below_agent() else f"terminal-{leader}-{fields[_STARTED]}"
