"""A stream of which most lines were seen before, with what the engine remembers and without.

    python -m benchmarks.bench_stream [LINES [PYTHON [OTHER]]]

Of `LINES` requests to `check --jsonl` one in ten is new. Time is that of the processor. OTHER is
an earlier checkout of the package, which answers the same stream in the same run.
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
FORGETS = f"from execpolicy.engine.memory import recent; recent.CACHE_BYTES = 0; {REMEMBERS}"
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


def seconds(python: str, program: str, stream: bytes, path: str = "") -> float:
    """Processor time of a process that answers the stream."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": "/usr/bin:/bin", "PYTHONPATH": path}
        command = [python, "-c", program, "check", "--jsonl"]
        for given in (b"", stream):  # the first one fills caches
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                command,
                env=environment,
                cwd=home,
                input=given,
                stdout=subprocess.DEVNULL,
                check=True,
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Measure, print, and give the exit code."""
    lines = int(sys.argv[1]) if sys.argv[1:] else LINES
    python = sys.argv[2] if sys.argv[2:] else sys.executable
    stream = "".join(f"{line}\n" for line in requests(lines)).encode()
    as_it_is = seconds(python, REMEMBERS, stream)
    if sys.argv[3:]:
        others = {sys.argv[3]: seconds(python, REMEMBERS, stream, sys.argv[3])}
    else:
        others = {"nothing is remembered": seconds(python, FORGETS, stream)}
    rows = [Row("as it is", f"{as_it_is:.1f} s", "")]
    for name, took in others.items():
        rows.append(Row(name, f"{took:.1f} s", f"{took / as_it_is:.1f} × as long (≥ {BOUND})"))
    show(f"a stream of {lines:,} lines, one in ten new", rows)
    return int(min(others.values()) / as_it_is < BOUND)


if __name__ == "__main__":
    sys.exit(main())
