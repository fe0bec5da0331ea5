"""A stream of which most lines were seen before, with what the engine remembers and without.

    python -m benchmarks.bench_stream [LINES]

Of `LINES` requests to `check --jsonl` one in ten is new. Time is that of the processor.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.table import Row, show

LINES = 100_000
NEW = 0.1
BOUND = 3.0
REMEMBERS = "from execpolicy.__main__ import main; main()"
FORGETS = f"from execpolicy.engine import recent; recent.CACHE_BYTES = 0; {REMEMBERS}"
_FORMS = (
    "git log --oneline -{0}",
    "cat src/part_{0}.py | head -50",
    "grep -rn 'name_{0}' src --include='*.py' | wc -l",
    "cd app && npm test -- case_{0} 2>&1 | tail -20",
    'for f in part_{0}/*.py; do wc -l "$f"; done',
)


def requests(lines: int) -> Iterator[str]:
    """Lines of the stream; one that is not new is one of the last thousand."""
    chance = random.Random(18)  # noqa: S311
    seen: list[str] = []
    for number in range(lines):
        if not seen or chance.random() < NEW:
            seen.append(json.dumps({"command": chance.choice(_FORMS).format(number)}))
        yield chance.choice(seen[-1000:])


def seconds(program: str, stream: bytes) -> float:
    """Processor time of a process that answers the stream."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as home:
        subprocess.run(
            [sys.executable, "-c", program, "check", "--jsonl"],
            env={"HOME": home, "PATH": "/usr/bin:/bin"},
            cwd=home,
            input=stream,
            stdout=subprocess.DEVNULL,
            check=False,
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Measure, print, and give the exit code."""
    lines = int(sys.argv[1]) if sys.argv[1:] else LINES
    stream = "".join(f"{line}\n" for line in requests(lines)).encode()
    with_memory, without = seconds(REMEMBERS, stream), seconds(FORGETS, stream)
    ratio = without / with_memory
    rows = [
        Row("nothing is remembered", f"{without:.1f} s", ""),
        Row("as it is", f"{with_memory:.1f} s", f"{ratio:.1f} × as fast (≥ {BOUND})"),
    ]
    show(f"a stream of {lines:,} lines, one in ten new", rows)
    return int(ratio < BOUND)


if __name__ == "__main__":
    sys.exit(main())
