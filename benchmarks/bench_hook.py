"""A hook, cold, beside `check` and the hooks of other programs: a process each, as by a host.

    python -m benchmarks.bench_hook

Who is there, and how to get who is not, is in `peers.py`. All get the same payloads and take turns.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.peers import PEERS, Installed, installed
from benchmarks.table import Row, show

BOUND = 1.15
COMMANDS = ["git status", "ls -la | head", "npm test && git push"]
TIMES = 25


def payload(command: str) -> bytes:
    """What Claude Code sends."""
    given = {"session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    return json.dumps({**given, "tool_input": {"command": command}}).encode()


def alternating(
    lines: Sequence[Sequence[str]], stdin: bytes, environment: dict[str, str]
) -> list[float]:
    """Milliseconds of each line, the median of runs that take turns: machines are noisy."""
    measured: list[list[float]] = [[] for _ in lines]
    for turn in range(TIMES + 1):
        for line, times in zip(lines, measured, strict=True):
            started = time.perf_counter()
            subprocess.run(line, input=stdin, capture_output=True, env=environment, check=False)
            if turn:  # the first fills the caches
                times.append((time.perf_counter() - started) * 1000)
    return [median(times) for times in measured]


def rows(command: str, peers: Sequence[Installed], environment: dict[str, str]) -> list[Row]:
    """The table's lines about one command."""
    program = [sys.executable, "-m", "execpolicy"]
    lines = [
        [sys.executable, "-c", "pass"],
        [*program, "check", "--cwd", "/", "-c", command],
        [*program, "hook", "claude"],
        *(shlex.split(peer.line or "") for peer in peers),
    ]
    bare, check, mine, *theirs = alternating(lines, payload(command), environment)
    return [
        Row(f"`{command}`", "", ""),
        Row("  bare python", f"{bare:.1f} ms", ""),
        Row("  check -c", f"{check:.1f} ms", f"{check / bare:.1f} × bare python"),
        Row(
            "  hook claude",
            f"{mine:.1f} ms",
            f"{mine / bare:.1f} × bare python, {mine / check:.2f} × check (≤ {BOUND})",
        ),
        *(
            Row(f"  {p.peer.name}", f"{ms:.1f} ms", f"{ms / bare:.1f} × bare python")
            for p, ms in zip(peers, theirs, strict=True)
        ),
    ]


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["HOME"] = folder
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            environment.pop(name, None)
        everybody = [installed(peer, Path(folder), environment) for peer in PEERS]
        there = [peer for peer in everybody if peer.line]
        table = [row for command in COMMANDS for row in rows(command, there, environment)]
        show("hook", table)
        for peer in everybody:
            if not peer.line:
                print(f"{peer.peer.name} skipped: {peer.why}")


if __name__ == "__main__":
    main()
