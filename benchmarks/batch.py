"""How many rows of a fleet's log a second: `python -m benchmarks.batch ROWS [WORKERS] [TEXTS]`.

Rows are drawn by Zipf's law from so many texts and 20 directories, by a fixed seed. Printed are
the rows a second with deciding, again with all decisions kept, and the most memory that was used.
"""

import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from execpolicy.replay.arrow import pyarrow
from execpolicy.replay.batch import BatchPolicy, decide_table

ROWS = 250_000
DIRECTORIES = [f"/home/user{n % 5}/project{n}" for n in range(20)]
FORMS = (
    "git log -{n}",
    "rg -n word{n} src",
    "sed -n {n},{n}p src/main.py",
    "cd packages/p{n} && npm test",
    "cat docs/page{n}.md | head -20",
    "pytest -q tests/test_{n}.py",
    "ls -la dir{n}",
    "grep -rn name{n} . | wc -l",
)


class Timed:
    """Batches, and how long it took to make them, which is no part of deciding."""

    def __init__(self, batches: Iterator[Any]) -> None:
        self._batches = batches
        self.seconds = 0.0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        began = time.perf_counter()
        try:
            return next(self._batches)
        finally:
            self.seconds += time.perf_counter() - began


def batches(rows: int, texts: int) -> Iterator[Any]:
    """The log."""
    arrow = pyarrow()
    names = [FORMS[n % len(FORMS)].format(n=n) for n in range(texts)]
    weights = list(accumulate(1 / (n + 1) for n in range(texts)))
    chance = random.Random(1)  # noqa: S311
    for start in range(0, rows, ROWS):
        count = min(ROWS, rows - start)
        drawn = chance.choices(range(texts), cum_weights=weights, k=count)
        at = chance.choices(range(len(DIRECTORIES)), k=count)
        yield arrow.RecordBatch.from_arrays(
            [
                arrow.DictionaryArray.from_arrays(arrow.array(drawn, "int32"), names).cast(
                    "string"
                ),
                arrow.DictionaryArray.from_arrays(arrow.array(at, "int32"), DIRECTORIES).cast(
                    "string"
                ),
            ],
            names=["command", "cwd"],
        )


def main() -> None:
    """Print the figures."""
    numbers = [int(word) for word in sys.argv[1:]]
    rows, workers, texts = (*numbers, *(1_000_000, 2, 50_000)[len(numbers) :])
    policy = BatchPolicy.of(["rules/presets/developer.rules"])
    with tempfile.TemporaryDirectory() as kept:
        for name in ("first", "second"):
            source = Timed(batches(rows, texts))
            began = time.perf_counter()
            done = sum(
                batch.num_rows
                for batch in decide_table(source, policy, workers=workers, kept_in=kept)
            )
            spent = time.perf_counter() - began - source.seconds
            assert done == rows
            print(f"{name}: {done:,} rows in {spent:.1f} s, {done / spent:,.0f} a second")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"most memory of this process: {most} MB, {workers} workers, {texts:,} texts")


if __name__ == "__main__":
    main()
