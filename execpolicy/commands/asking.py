"""The question of `run` at a terminal: once, for the session, always, or no with a reason."""

import os
import sys

from execpolicy.model.errors import printable
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from execpolicy.model.verdict import Verdict

    class Longer(Protocol):
        """Answers that hold longer than one call; `words` are shown with the question."""

        words: str

        def keep(self, said: str) -> bool:
            """Keep an answer; False for what is none."""


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


class Answer(Value):
    """What came of a question. `answered`: the user said no."""

    allowed: bool
    answered: bool
    why: str


def ask(
    verdict: "Verdict",
    reason: str,
    arguments: "Sequence[str]",
    longer: "Callable[[], Longer]",
) -> Answer:
    """Ask the user at the terminal, if there is one and no agent is between.

    `longer` gives what may be answered beside once and no; it is called where the user is asked.
    """
    if not can_ask():
        from shlex import quote

        from execpolicy.model.wording import typed

        words = ("execpolicy", *arguments)
        again = " ".join(quote(w) if printable(w) == w else typed(w) for w in words)
        return Answer(
            allowed=False,
            answered=False,
            why=f"the user has to be asked: {reason}; in a terminal: {printable(again, 300)}",
        )
    lines = [f"execpolicy: {printable(reason, 300)}"]
    lines += [f"  to allow it always: {amendment.rule}" for amendment in verdict.amendments]
    print(*lines, sep="\n", file=sys.stderr)
    answers = longer()
    choices = f"y once{answers.words}, N, or a reason against it"
    print(f"run it? [{choices}] ", end="", file=sys.stderr, flush=True)
    said = sys.stdin.readline().strip()
    if said.lower() in ("y", "yes") or answers.keep(said):
        return Answer(allowed=True, answered=True, why="")
    return Answer(
        allowed=False,
        answered=True,
        why=f"the user refused it: {said}" if len(said) > 1 else "refused",
    )


def can_ask() -> bool:
    """Whether the user can be asked: at a terminal, with no agent between."""
    return os.isatty(0) and os.isatty(2) and not below_agent()


def below_agent() -> bool:
    """Whether a host started this process, by its variables or by a process above."""
    return any(os.environ.get(name) for name in MARKS) or _agent() > 0


def _agent() -> int:
    """The process above that is a host's, by its number; 0 where there is none."""
    from execpolicy.support import processes

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
    from execpolicy.support import processes

    leader = _agent() or os.getsid(0)
    name = processes.name_of(leader)
    return name if leader != os.getpid() and processes.lives(name) else ""


def terminal_session() -> str:
    """The session of the terminal that this process belongs to: its number and when it began.

    Empty where the process that began it has gone, or an agent is between: what the user answered
    there is not for what the agent starts.
    """
    from execpolicy.support import processes

    leader = os.getsid(0)
    try:
        fields = processes.status(leader)[1]
    except OSError:
        return ""
    return "" if below_agent() else f"terminal-{leader}-{fields[_STARTED]}"
