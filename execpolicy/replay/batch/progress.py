"""How far a long run is, as one line of a terminal that is written over."""

import time
from collections.abc import Callable
from typing import TextIO

WIDTH = 24
"""Characters of the bar."""


def progress(out: TextIO, total: int = 0) -> Callable[[int], None]:
    """What `decide_files` calls with the rows of each part: a bar where the `total` is known, the
    rows and the rows a second. Nothing is written where `out` is not a terminal."""
    began, done = time.monotonic(), 0

    def show(rows: int) -> None:
        nonlocal done
        done += rows
        if out.isatty():
            out.write(f"\r{line(done, total, time.monotonic() - began)}\x1b[K")
            out.flush()

    return show


def line(done: int, total: int, seconds: float) -> str:
    """The line.

    >>> line(500_000, 2_000_000, 2.0)
    '██████░░░░░░░░░░░░░░░░░░  25 %  500,000 rows, 250,000 a second'
    """
    told = f"{done:,} rows, {done / max(seconds, 0.001):,.0f} a second"
    if not total:
        return told
    full = min(WIDTH, done * WIDTH // total)
    return f"{'█' * full}{'░' * (WIDTH - full)} {min(100, 100 * done // total):3} %  {told}"
