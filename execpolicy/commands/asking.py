"""The question of `run` at a terminal: once, or no with a reason."""

import os
import sys

from execpolicy.model.errors import printable
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.model.verdict import Verdict

_AGENTS = """
    claude codex gemini cursor-agent copilot opencode qwen windsurf droid crush amp goose
"""
AGENTS = frozenset(_AGENTS.split())
"""Programs of hosts: what is typed below them is not typed by a person."""
MARKS = ("CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE", "QWEN_CODE")
"""Variables that hosts set for what they run."""
MAX_PARENTS = 64
_STARTED = 19
"""The number, after the name, of the field with the time at which a process began (proc(5))."""


class Answer(Value):
    """What came of a question. `answered`: a person said no."""

    allowed: bool
    answered: bool
    why: str


def ask(verdict: "Verdict", reason: str, arguments: "Sequence[str]") -> Answer:
    """Ask the person at the terminal, if there is one and no agent is between."""
    if not person_here():
        from shlex import join

        typed = printable(join(["execpolicy", *arguments]), 300)
        return Answer(False, False, f"a person has to be asked: {reason}; in a terminal: {typed}")
    lines = [f"execpolicy: {printable(reason, 300)}"]
    lines += [f"  to allow it always: {amendment.rule}" for amendment in verdict.amendments]
    print(*lines, sep="\n", file=sys.stderr)
    print("run it this once? [y/N, or a reason against it] ", end="", file=sys.stderr, flush=True)
    said = sys.stdin.readline().strip()
    if said.lower() in ("y", "yes"):
        return Answer(True, True, "")
    return Answer(False, True, f"a person refused it: {said}" if len(said) > 1 else "refused")


def person_here() -> bool:
    """Whether a person can be asked: at a terminal, with no agent between."""
    return sys.stdin.isatty() and sys.stderr.isatty() and not below_agent()


def below_agent() -> bool:
    """Whether a host started this process, by its variables or by a process above."""
    if any(os.environ.get(name) for name in MARKS):
        return True
    process = os.getppid()
    for _ in range(MAX_PARENTS):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            return False
        name, _, rest = text.partition("(")[2].rpartition(")")
        if name in AGENTS:
            return True
        process = int(rest.split()[1])
        if process <= 1:
            return False
    return False


def terminal_session() -> str:
    """The session of the terminal that this process belongs to: its number and when it began.

    Empty where the process that began it has gone, or an agent is between: what a person answered
    there is not for what the agent starts.
    """
    leader = os.getsid(0)
    try:
        with open(f"/proc/{leader}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if below_agent() else f"terminal-{leader}-{fields[_STARTED]}"
