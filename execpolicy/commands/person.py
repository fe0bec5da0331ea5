"""Whether what is typed may be the user's: at a terminal, and no agent behind any end of it.

It proves no person. What proves one is a signature (`approvals.signatures`).
"""

import os
import sys
from collections.abc import Iterator

from execpolicy.commands.ancestors import below_agent, is_below_agent
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.model.errors import UsageError

AGENT = "only the user answers: type this in a terminal of your own"
NOWHERE = "only the user answers, at a terminal (`ssh -t` gives one)"


def agrees(question: str) -> bool:
    """Whether the user says yes at the terminal. Without a terminal the answer is no."""
    return can_say() and input(f"{question} [y/N] ").strip().lower() in ("y", "yes")


def can_say() -> bool:
    """Whether what is printed is seen, and answered, at a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def refuse_agents() -> None:
    """Raise `UsageError` where a host of an agent started this process."""
    if below_agent() or is_below_agent(os.getsid(0)):
        raise UsageError(AGENT, ExitCode.FORBIDDEN)


def refuse_programs() -> None:
    """Raise `UsageError` where this process is not taken for the user."""
    refuse_agents()
    if not _is_at_terminal():
        raise UsageError(NOWHERE, ExitCode.FORBIDDEN)
    if any(map(is_below_agent, _other_ends())):
        raise UsageError(AGENT, ExitCode.FORBIDDEN)


def _is_at_terminal() -> bool:
    """Whether it reads what is typed at the terminal of its session now."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _other_ends() -> Iterator[int]:
    """The processes that have the other end of the terminal: its window, `sshd`, `tmux`."""
    number = f"tty-index:\t{os.minor(os.fstat(0).st_rdev)}"
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid() and _holds(name, number):
            yield int(name)


def _holds(process: str, number: str) -> bool:
    """Whether a process has a file open that is the other end of this terminal."""
    try:
        for descriptor in os.listdir(f"/proc/{process}/fd"):
            if os.path.basename(os.readlink(f"/proc/{process}/fd/{descriptor}")) == "ptmx":
                with open(f"/proc/{process}/fdinfo/{descriptor}") as file:
                    if number in file.read().splitlines():
                        return True
    except OSError:
        return False
    return False
