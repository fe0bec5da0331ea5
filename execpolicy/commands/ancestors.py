"""The processes that this one was started by: a host, or the terminal that the user types at.

A process that forks twice is no longer below its host, but a lowered limit stays: `mark` lowers
one of the host's that no program needs, which is inherited and not raised again (setrlimit(2)).
"""

import os
from _collections_abc import Iterator

from execpolicy.support import processes
from execpolicy.support.processes import Lineage

_AGENTS = """
    claude codex gemini cursor-agent copilot opencode qwen windsurf droid crush amp goose
"""
AGENTS = frozenset(_AGENTS.split())
"""Programs of hosts: what is typed below them is not typed by the user."""
_INTERPRETERS = frozenset(("node", "bun", "deno", "MainThread"))
"""Names of processes that run the script of a host (`node /usr/bin/gemini`); newer ones of Node
call themselves by their thread."""
MARKS = ("CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE", "QWEN_CODE")
"""Variables that hosts set for what they run."""
MAX_ENVIRONMENT = 1 << 18
_EARLY = 4
"""The words of an interpreter's command line among which its script stands."""
_STARTED = 19
"""The number, after the name, of the field with the time at which a process began (proc(5))."""
USUAL = 819_200
"""Bytes of POSIX message queues that a user may have, on Linux, where no other limit is set."""


def below_agent() -> bool:
    """Whether a host started this process, by its variables, its limits or a process above."""
    return any(os.environ.get(name) for name in MARKS) or is_below_agent(os.getpid())


def is_below_agent(process: int) -> bool:
    """Whether a process is a host, or was started by one, or has the mark of one."""
    return is_marked(process) or any(
        _is_agent(*each) or _has_marks(each[0]) for each in _programs(Lineage(process))
    )


def was_left(process: int, above: Lineage) -> bool:
    """Whether a host started a process, and is not above it any more."""
    given = is_marked(process) or _has_marks(process)
    return given and not any(_is_agent(*each) for each in _programs(above))


def mark(above: Lineage) -> None:
    """Give the host above a limit by which what it starts from now on is known as started by it."""
    process = _agent(above)
    if not process:
        return
    import resource

    try:
        soft, hard = resource.prlimit(process, resource.RLIMIT_MSGQUEUE)
        if not 0 <= hard < USUAL:  # -1 is none
            lower = USUAL - 1
            soft = soft if 0 <= soft < lower else lower
            resource.prlimit(process, resource.RLIMIT_MSGQUEUE, (soft, lower))
    except (OSError, ValueError, AttributeError):
        return


def is_marked(process: int) -> bool:
    """Whether a process, or the one above that gave it its limits, has the mark."""
    import resource

    try:
        hard = resource.prlimit(process, resource.RLIMIT_MSGQUEUE)[1]
    except (OSError, AttributeError):
        return False
    return 0 <= hard < USUAL


def _programs(above: Lineage) -> "Iterator[tuple[int, str]]":
    """Those of some processes that another started: all but the first of the machine."""
    return (each for each in above if each[0] > 1)


def _is_agent(process: int, name: str) -> bool:
    """Whether a process is a host's, by its name or by the script that it runs."""
    if name in AGENTS or name not in _INTERPRETERS:
        return name in AGENTS
    from execpolicy.commands.headless import command_line

    return any(_plain(word) in AGENTS for word in command_line(process)[:_EARLY])


def _plain(word: str) -> str:
    """The name of a script without what its language adds.

    >>> _plain("/usr/bin/gemini"), _plain("/opt/copilot.mjs")
    ('gemini', 'copilot')
    """
    return os.path.basename(word).partition(".")[0]


def _has_marks(process: int) -> bool:
    """Whether a process began with a variable that hosts set (proc_pid_environ(5))."""
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            given = file.read(MAX_ENVIRONMENT).split(b"\0")
    except OSError:
        return False
    names = {each.partition(b"=")[0] for each in given if each.partition(b"=")[2]}
    return any(name.encode() in names for name in MARKS)


def _agent(above: Lineage | None = None) -> int:
    """The process above that is a host's, by its number; 0 where there is none."""
    every = _programs(above or Lineage(os.getppid()))
    return next((process for process, name in every if _is_agent(process, name)), 0)


def agent_name() -> str:
    """The program of the host above; empty where the user typed it."""
    process = _agent()
    try:
        return processes.status(process)[0] if process else ""
    except OSError:
        return ""


def session_leader() -> str:
    """The process that what runs share lasts as long as: the host above, else that which began the
    session of the terminal. Empty where this process began one for itself."""
    leader = _agent() or os.getsid(0)
    return processes.living(leader) if leader != os.getpid() else ""


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
