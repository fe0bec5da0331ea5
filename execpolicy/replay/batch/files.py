"""Whole logs decided into a directory of Parquet files; what was done is not done again."""

import os
from collections.abc import Callable, Iterator, Sequence

from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.replay.arrow import Batch, write_batch
from execpolicy.replay.batch.policy import BatchPolicy
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


MEMORY = "256MB"
"""What DuckDB may use; it writes to disk what is more."""


def batches(paths: Sequence[str], rows: int) -> Iterator[Batch]:
    """The rows of logs in their order, so many in a batch. Raises `ExecPolicyError`.

    A path is what DuckDB reads: JSON lines, Parquet, a pattern or a URL; or a directory of them.
    """
    try:
        import duckdb
    except ImportError:
        raise ExecPolicyError("this needs DuckDB: pip install 'execpolicy[batch]'") from None
    connection = duckdb.connect(config={"memory_limit": MEMORY, "threads": 1})
    try:
        for path in paths:
            pattern = _pattern(path)
            reader = "read_parquet" if ".parquet" in pattern else "read_json_auto"
            found = connection.sql(f"SELECT * FROM {reader}(?)", params=[pattern])  # noqa: S608
            yield from found.to_arrow_reader(rows)
    except duckdb.Error as error:
        raise ExecPolicyError(f"cannot read a log: {printable(str(error), 300)}") from None
    finally:
        connection.close()


def _pattern(path: str) -> str:
    """All files of a directory, which are of Parquet if one is; else the path itself."""
    if not os.path.isdir(path):
        return path
    names = (name for _, _, files in os.walk(path) for name in files)
    is_parquet = any(name.endswith(".parquet") for name in names)
    return os.path.join(path, "**", "*.parquet" if is_parquet else "*.json*")
