"""Two checkouts in one run: what a check costs in each, as processor time, and whether it is more.

    python -m benchmarks.compare_speed OLD NEW [FILE…]

OLD and NEW are directories with the project; each FILE has requests as for `compare_verdicts`. A
start is measured from outside by `getrusage`, over a bare start of the same Python; in turns, so
that a machine that is busy is so for both. The exit code is 1 where a start of NEW takes more than
`BUDGET` of OLD's.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from benchmarks.checkouts import Checkout, requests
from benchmarks.starts import LOOP, PAYLOAD
from benchmarks.table import Row, show

BUDGET = 1.10
ROUNDS = 25
STARTS = {
    "check -- git push": (["check", "--", "git", "push"], b""),
    "check -- cat a.txt": (["check", "--", "cat", "a.txt"], b""),
    "check -c (a pipe)": (["check", "-c", "ls -la | wc -l"], b""),
    "check -c (a loop with a substitution)": (["check", "-c", LOOP], b""),
    "hook claude": (["hook", "claude"], PAYLOAD),
}


def processor_ms(command: Sequence[str], environment: dict[str, str], stdin: bytes) -> float:
    """Milliseconds of user and system time of a whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, input=stdin, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent * 1000


def starts(old: Checkout, new: Checkout) -> tuple[list[Row], float]:
    """The rows about whole processes, and the largest ratio of them."""
    rows, worst = [], 0.0
    for what, (arguments, stdin) in STARTS.items():
        times: tuple[list[float], list[float], list[float]] = ([], [], [])
        for turn in range(ROUNDS + 1):
            for each, one in zip(times, (None, old, new), strict=True):
                bare = [new.python, "-c", "pass"]
                command = bare if one is None else one.command(*arguments)
                environment = dict(os.environ) if one is None else one.environment
                took = processor_ms(command, environment, stdin)
                each.extend([took] if turn else [])  # the first one fills caches
        least, before, after = map(statistics.median, times)
        worst = max(worst, after / before)
        rows.append(
            Row(
                what,
                f"{before / least:.2f} → {after / least:.2f} of bare",
                f"{after / before:.2f} of before (≤ {BUDGET})",
            )
        )
    return rows, worst


def checks(old: Checkout, new: Checkout, files: Sequence[str], cwd: str) -> Row:
    """The row about deciding each request of the files, none of them seen before."""
    asked = requests(files, cwd)
    engines = old.engine(cwd), new.engine(cwd)
    times: tuple[list[float], list[float]] = ([], [])
    for turn, request in enumerate(asked):
        for number in (0, 1) if turn % 2 else (1, 0):
            times[number].append(engines[number].ask(request).seconds * 1e6)
    for engine in engines:
        engine.close()
    before, after = map(statistics.median, times)
    ratio = f"{after / before:.2f} of before, {sum(times[1]) / sum(times[0]):.2f} in sum"
    return Row(f"a check of {len(asked):,} requests", f"{before:.0f} → {after:.0f} µs", ratio)


def main() -> int:
    """Measure, print, and give the exit code."""
    if len(sys.argv) < 3:
        print(__doc__)
        return 64
    old, new = Checkout(sys.argv[1]), Checkout(sys.argv[2])
    for one in (old, new):
        one.compile()
    rows, worst = starts(old, new)
    if sys.argv[3:]:
        with tempfile.TemporaryDirectory() as cwd:
            rows.append(checks(old, new, sys.argv[3:], cwd))
    show("two checkouts", rows)
    return 1 if worst > BUDGET else 0


if __name__ == "__main__":
    sys.exit(main())
