"""Whole logs decided into a directory of Parquet files; what was done is not done again."""

import os
from collections.abc import Callable, Iterator, Sequence

from execpolicy.model.errors import ExecPolicyError
from execpolicy.replay.arrow import Batch, write_batch
from execpolicy.replay.batch.policy import BatchPolicy
from execpolicy.replay.batch.sources import batches
from execpolicy.replay.batch.table import decide_table

ROWS = 500_000
"""Rows of a part."""


def decide_files(
    paths: Sequence[str],
    out: str,
    policy: BatchPolicy,
    *,
    workers: int = 0,
    rows: int = ROWS,
    done: Callable[[int], None] | None = None,
) -> int:
    """Decide the rows of logs into parts of `out`, and give the number of rows that are there.

    A part appears as a whole, under its number. A run that was killed goes on after the last one;
    `out` of other logs or of another policy is an `ExecPolicyError`. `done` is called with the
    number of rows of each part (`progress.progress` draws a bar). Decisions are kept in `kept`
    below it.
    """
    os.makedirs(out, exist_ok=True)
    _claim(out, "\n".join((policy.key, str(rows), *map(os.path.abspath, paths))))
    told = done or (lambda _: None)
    total = number = 0
    left: list[int] = []

    def missing() -> Iterator[Batch]:
        nonlocal total, number
        for batch in batches(paths, rows):
            number += 1
            if os.path.exists(_part(out, number)):
                total += batch.num_rows
                told(batch.num_rows)
            else:
                left.append(number)
                yield batch

    kept = os.path.join(out, "kept")
    for decided in decide_table(missing(), policy, workers=workers, kept_in=kept):
        write_batch(decided, _part(out, left.pop(0)))
        total += decided.num_rows
        told(decided.num_rows)
    return total


def _part(out: str, number: int) -> str:
    return os.path.join(out, f"part-{number:06}.parquet")


def _claim(out: str, what: str) -> None:
    """Write down what a directory is for. Raises `ExecPolicyError` if it is for another thing."""
    path = os.path.join(out, "of")
    try:
        with open(path, encoding="utf-8") as file:
            before = file.read()
    except FileNotFoundError:
        with open(path, "w", encoding="utf-8") as file:
            file.write(what)
        return
    if before != what:
        raise ExecPolicyError(f"`{out}` has decisions about other logs, or by other rules")
