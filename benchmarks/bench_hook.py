"""A hook, cold, beside `check` and the hooks of other programs: a process each, as by a host.

    python -m benchmarks.bench_hook

Who is there, and how to get who is not, is in `peers.py`. All get the same payloads and take turns.
"""

import json
import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.cold import Spent, medians, spent
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
) -> list[Spent]:
    """What each line takes, the medians of runs that take turns: machines are noisy."""
    measured: list[list[Spent]] = [[] for _ in lines]
    for turn in range(TIMES + 2):
        for line, times in zip(lines, measured, strict=True):
            took = spent(line, environment, stdin, Path.cwd())
            times.extend([took] if turn > 1 else [])  # the first ones fill the caches
    return [medians(times) for times in measured]


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
    beside = f", {mine.processor / check.processor:.2f} × check (≤ {BOUND})"
    return [
        Row(f"`{command}`", "", ""),
        _row("bare python", bare, bare),
        _row("check -c", check, bare),
        _row("hook claude", mine, bare, beside),
        *(_row(p.peer.name, each, bare) for p, each in zip(peers, theirs, strict=True)),
    ]


def _row(what: str, took: Spent, bare: Spent, beside: str = "") -> Row:
    """A line about a process: its time of the processor and on the wall, over bare Python's."""
    ratios = f"{took.processor / bare.processor:.1f} and {took.wall / bare.wall:.1f} × bare python"
    value = f"{took.processor:.1f} ms processor, {took.wall:.1f} wall"
    return Row(f"  {what}", value, ratios + beside)


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
