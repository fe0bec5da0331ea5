"""A stream of different texts: the memory of the process that decides them stays flat.

    python -m benchmarks.bench_memory [PYTHON [COUNT [NAME]]]

NAME is `check --jsonl` or `Engine.check`; without one, both are measured. Each text is one that was
never seen, of up to `MAX_BYTES`. The exit code is 1 where the process is
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
_FORMS = (
    "git commit -m '{0}'",
    "echo '{0}'",
    "grep -rn '{0}' src | head",
    "python3 -c '{0}'",
    "touch '{0}'",
    "cat {0}",
    "x='{0}'; echo \"$x\" > out",
    'for f in {0}; do wc -l "$f"; done',
    "cat <<E\n{0}\nE",
)


def texts(count: int) -> Iterator[str]:
    """Commands with a message of any length, no two alike."""
    chance = random.Random(18)  # noqa: S311
    for number in range(count):
        size = int(MAX_BYTES ** chance.random())
        message = f"{number} " + "word by word " * (size // 13)
        yield chance.choice(_FORMS).format(message[:MAX_BYTES])


def resident(process: int) -> float:
    """MiB of a process that are in memory (proc(5))."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096 / (1 << 20)


def streams(python: str, home: str) -> "subprocess.Popen[str]":
    """A process that answers a line of text with a line."""
    return _started([python, "-m", "execpolicy", "check", "--jsonl"], home)


def library(python: str, home: str) -> "subprocess.Popen[str]":
    """The same by one engine in a process of somebody else."""
    return _started([python, "-c", _LIBRARY], home)


_LIBRARY = """
import json, sys
from execpolicy.engine.engine import Engine
engine = Engine.load()
for line in sys.stdin:
    print(engine.check(json.loads(line)["command"]).decision.word, flush=True)
"""


def _started(command: "list[str]", home: str) -> "subprocess.Popen[str]":
    environment = {"HOME": home, "PATH": "/usr/bin:/bin"}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, cwd=home, stdin=pipe, stdout=pipe, text=True)


def measured(process: "subprocess.Popen[str]", count: int) -> Iterator[float]:
    """MiB of the process after each tenth of the texts."""
    assert process.stdin is not None
    assert process.stdout is not None
    for number, text in enumerate(texts(count), 1):
        process.stdin.write(json.dumps({"command": text}) + "\n")
        process.stdin.flush()
        process.stdout.readline()
        if number % (count // 10) == 0:
            yield resident(process.pid)
    process.communicate()


def main() -> int:
    """Measure, print, and give the exit code."""
    python = sys.argv[1] if sys.argv[1:] else sys.executable
    count = int(sys.argv[2]) if sys.argv[2:] else COUNT
    most = 0.0
    for name, start in (("check --jsonl", streams), ("Engine.check", library)):
        if name not in (sys.argv[3:] or [name]):
            continue
        with tempfile.TemporaryDirectory() as home:
            found = [*measured(start(python, home), count)]
        rows = [
            Row(f"after {n * count // 10:,} texts", f"{each:.1f} MiB", "")
            for n, each in enumerate(found, 1)
        ]
        grown = found[-1] - found[0]
        most = max(most, grown)
        last = Row("grown since the first tenth", f"{grown:.1f} MiB", f"(≤ {BOUND})")
        show(f"memory of {name}", [*rows, last])
    return int(most > BOUND)


if __name__ == "__main__":
    sys.exit(main())
