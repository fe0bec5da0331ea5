"""Timing and printing for the benchmarks. Ratios are measured in one run: machines are noisy."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """A line of a table: what, how much, and the ratio that matters with its bound."""

    what: str
    value: str
    ratio: str


def median_ms(action: Callable[[], object], times: int = 15) -> float:
    """Milliseconds, the median of several runs after one that does not count."""
    action()
    measured = []
    for _ in range(times):
        started = time.perf_counter()
        action()
        measured.append((time.perf_counter() - started) * 1000)
    return statistics.median(measured)


def process_ms(command: Sequence[str], times: int = 15) -> float:
    """Milliseconds of a whole process."""
    return median_ms(lambda: subprocess.run(command, capture_output=True, check=False), times)


def bare_python() -> float:
    """Milliseconds that this interpreter needs to start and do nothing."""
    return process_ms([sys.executable, "-c", "pass"])


def show(title: str, rows: Sequence[Row]) -> None:
    """Print the rows with their columns in line."""
    widths = [max(len(r[column]) for r in rows) for column in range(2)]
    print(f"\n{title}\n{'-' * len(title)}")
    for row in rows:
        print(f"{row.what:{widths[0]}}  {row.value:>{widths[1]}}  {row.ratio}".rstrip())
