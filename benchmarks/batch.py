"""How many rows of a fleet's log a second: `python -m benchmarks.batch ROWS [WORKERS] [TEXTS]`.

Rows are drawn by Zipf's law from so many texts and 20 directories, by a fixed seed, and written to
a file of Parquet first. Printed are the rows a second with reading and deciding, again with all
decisions kept, the processor's time of this process and of those that decide, which another load
of the machine changes less, and the most memory that was used.
"""

import os
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
from execpolicy.replay.batch.files import batches as read

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


def write(path: str, rows: int, texts: int) -> None:
    """The log as a file."""
    pyarrow()
    from pyarrow import parquet

    writer = None
    for batch in batches(rows, texts):
        writer = writer or parquet.ParquetWriter(path, batch.schema)
        writer.write_batch(batch)
    if writer is not None:
        writer.close()


def used(who: int) -> float:
    """Seconds of processors."""
    spent = resource.getrusage(who)
    return spent.ru_utime + spent.ru_stime


def main() -> None:
    """Print the figures."""
    numbers = [int(word) for word in sys.argv[1:]]
    rows, workers, texts = (*numbers, *(1_000_000, 2, 50_000)[len(numbers) :])
    policy = BatchPolicy.of(["rules/presets/developer.rules"])
    with tempfile.TemporaryDirectory() as directory:
        log, kept = os.path.join(directory, "log.parquet"), os.path.join(directory, "kept")
        write(log, rows, texts)
        for name in ("first", "second"):
            began = time.perf_counter()
            own, others = used(resource.RUSAGE_SELF), used(resource.RUSAGE_CHILDREN)
            table = decide_table(read([log], ROWS), policy, workers=workers, kept_in=kept)
            done = sum(batch.num_rows for batch in table)
            spent = time.perf_counter() - began
            own = used(resource.RUSAGE_SELF) - own
            others = used(resource.RUSAGE_CHILDREN) - others
            assert done == rows
            print(f"{name}: {done:,} rows in {spent:.1f} s, {done / spent:,.0f} a second;")
            print(f"  processors: {own:.1f} s here, {others:.1f} s in {workers} that decide")
    most = [resource.getrusage(w).ru_maxrss // 1024 for w in (0, resource.RUSAGE_CHILDREN)]
    print(f"most memory: {most[0]} MB here, {most[1]} MB of each that decides, {texts:,} texts")


if __name__ == "__main__":
    main()
