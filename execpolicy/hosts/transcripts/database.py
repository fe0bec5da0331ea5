"""Another program's SQLite database, read and never written: it may hold anything.

Its schema is not trusted (https://www.sqlite.org/security.html): no view and no trigger runs a
function, sizes are limited, and a query ends after a number of steps.
"""

from collections.abc import Iterator

MAX_STEPS = 400
_OF_STEPS = 1_000_000
MAX_BYTES = 16 << 20


def rows(path: str, query: str) -> Iterator[tuple[object, ...]]:
    """The rows of a query; none where the file is no such database, or breaks off."""
    import sqlite3
    from urllib.parse import quote

    left = [MAX_STEPS]

    def ends() -> bool:
        left[0] -= 1
        return left[0] < 0

    try:
        connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=1)
    except sqlite3.Error:
        return
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
        connection.set_progress_handler(ends, _OF_STEPS)
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {pragma}")
        tables = connection.execute(
            "SELECT type FROM sqlite_schema WHERE name IN ('part','session')"
        )
        if any(kind != "table" for (kind,) in tables):
            return
        yield from connection.execute(query)
    except (sqlite3.Error, MemoryError, ValueError):
        return
    finally:
        connection.close()
