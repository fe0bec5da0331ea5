"""A hook, cold, beside `check` about the same command: a process each, as a host starts it.

    python -m benchmarks.bench_hook [OTHER HOOK's command line …]

Another program's hook for Claude Code may be named, each as one argument; it gets the same payload.
"""

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median

from benchmarks.table import Row, bare_python, show

BOUND = 1.15
COMMANDS = ["git status", "ls -la | head", "npm test && git push"]
TIMES = 25


def payload(command: str) -> bytes:
    """What Claude Code sends."""
    given = {"session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    return json.dumps({**given, "tool_input": {"command": command}}).encode()


def alternating(commands: Sequence[Sequence[str]], stdin: bytes) -> list[float]:
    """Milliseconds of each command, the median of runs that take turns: machines are noisy."""
    measured: list[list[float]] = [[] for _ in commands]
    for turn in range(TIMES + 1):
        for command, times in zip(commands, measured, strict=True):
            started = time.perf_counter()
            subprocess.run(command, input=stdin, capture_output=True, check=False)
            if turn:  # the first fills the caches
                times.append((time.perf_counter() - started) * 1000)
    return [median(times) for times in measured]


def rows(command: str, others: Sequence[str]) -> list[Row]:
    """The table's lines about one command."""
    program = [sys.executable, "-m", "execpolicy"]
    check = [*program, "check", "--cwd", "/", "-c", command]
    hook = [*program, "hook", "claude"]
    lines = [check, hook, *map(shlex.split, others)]
    base, mine, *theirs = alternating(lines, payload(command))
    ratio = f"{mine / base:.2f} × check (≤ {BOUND})"
    return [
        Row(f"check -c '{command}'", f"{base:.1f} ms", ""),
        Row("hook claude", f"{mine:.1f} ms", ratio),
        *(
            Row(other, f"{ms:.1f} ms", f"{ms / mine:.2f} × the hook")
            for other, ms in zip(others, theirs, strict=True)
        ),
    ]


def main() -> None:
    """Measure and print."""
    found = [row for command in COMMANDS for row in rows(command, sys.argv[1:])]
    show("hook", [Row("bare python", f"{bare_python():.1f} ms", ""), *found])


if __name__ == "__main__":
    main()
