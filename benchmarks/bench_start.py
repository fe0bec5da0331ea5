"""Whole processes with a warm cache, as ratios to a bare `python -c pass` in the same run.

    python -m benchmarks.bench_start

Peers are compared where they are installed: programs that take a hook's JSON on stdin.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.table import Row, median_ms, show

PROGRAM = str(Path(sys.executable).with_name("execpolicy"))
HOOK = {
    "session_id": "x",
    "cwd": "/",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "git push"},
}
OURS = {
    "check -- git push": (["check", "--", "git", "push"], 2.2),
    "check -c 'ls -la | wc -l'": (["check", "-c", "ls -la | wc -l"], 0),
    "check -c (a loop with a substitution)": (
        ["check", "-c", 'for f in *.py; do echo "$(wc -l "$f")"; done'],
        4.0,
    ),
}
PEERS = {"dippy": ["dippy"], "nah": ["nah", "hook"], "agentperm": ["agentperm", "hook"]}


def timed(command: list[str], environment: dict[str, str], stdin: bytes = b"") -> float:
    """Milliseconds of a whole process, the median of many."""

    def once() -> None:
        subprocess.run(command, input=stdin, capture_output=True, check=False, env=environment)

    return median_ms(once, 25)


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "XDG_CACHE_HOME": home + "/cache"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        bare = timed([sys.executable, "-c", "pass"], environment)
        rows = [Row("bare `python -c pass`", f"{bare:.1f} ms", "")]
        for what, (arguments, bound) in OURS.items():
            took = timed([PROGRAM, *arguments], environment)
            limit = f" (≤ {bound})" if bound else ""
            rows.append(Row(what, f"{took:.1f} ms", f"{took / bare:.2f}{limit}"))
        for name, command in PEERS.items():
            if shutil.which(command[0]):
                took = timed(command, environment, json.dumps(HOOK).encode())
                rows.append(Row(f"peer: {name}", f"{took:.1f} ms", f"{took / bare:.2f}"))
    show("starting", rows)


if __name__ == "__main__":
    main()
