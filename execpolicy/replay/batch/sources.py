"""Logs as record batches, read by DuckDB: the one file that imports it (extra `batch`).

JSON lines and Parquet, files, directories, patterns and whatever DuckDB reads by a URL. Rows come
in the order in which they stand.
"""

import os
from collections.abc import Iterator, Sequence

from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.replay.arrow import Batch

MEMORY = "256MB"
"""What DuckDB may use; it writes to disk what is more."""


def batches(paths: Sequence[str], rows: int) -> Iterator[Batch]:
    """The rows of logs, so many in a batch. Raises `ExecPolicyError`."""
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
