"""A stream of different texts: the memory of the process that decides them stays flat.

    python -m benchmarks.bench_memory [PYTHON [COUNT]]

Each text is one that was never seen, of up to `MAX_BYTES`. The exit code is 1 where the process is
larger by more than `BOUND` MiB after the last tenth of them than after the first.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.table import Row, show

COUNT = 200_000
MAX_BYTES = 10_000
BOUND = 8.0
_PROGRAMS = ("git commit -m", "echo", "grep -rn", "python3 -c", "touch")


def texts(count: int) -> Iterator[str]:
    """Commands with a message of any length, no two alike."""
    chance = random.Random(18)  # noqa: S311
    for number in range(count):
        size = int(MAX_BYTES ** chance.random())
        message = f"{number} " + "word by word " * (size // 13)
        yield f"{chance.choice(_PROGRAMS)} '{message[:MAX_BYTES]}'"


def resident(process: int) -> float:
    """MiB of a process that are in memory (proc(5))."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096 / (1 << 20)


def main() -> int:
    """Measure, print, and give the exit code."""
    python = sys.argv[1] if sys.argv[1:] else sys.executable
    count = int(sys.argv[2]) if sys.argv[2:] else COUNT
    measured: list[float] = []
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            [python, "-m", "execpolicy", "check", "--jsonl"],
            env={"HOME": home, "PATH": "/usr/bin:/bin"},
            cwd=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        for number, text in enumerate(texts(count), 1):
            process.stdin.write(json.dumps({"command": text}) + "\n")
            process.stdin.flush()
            process.stdout.readline()
            if number % (count // 10) == 0:
                measured.append(resident(process.pid))
        process.communicate()
    rows = [
        Row(f"after {n * count // 10:,} texts", f"{each:.1f} MiB", "")
        for n, each in enumerate(measured, 1)
    ]
    grown = measured[-1] - measured[0]
    show("memory", [*rows, Row("grown since the first tenth", f"{grown:.1f} MiB", f"(≤ {BOUND})")])
    return int(grown > BOUND)


if __name__ == "__main__":
    sys.exit(main())
