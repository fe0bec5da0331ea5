"""Waiting for what another process does. How long it takes decides nothing: only a hang ends it."""

import time
from collections.abc import Callable
from pathlib import Path

from execpolicy.store.repeat import witness

HANG_SECONDS = 120.0
"""Far more than anything here takes on a busy machine."""


def until(condition: Callable[[], object]) -> None:
    """Return when a condition holds. Raises `AssertionError` where it never does."""
    ends = time.monotonic() + HANG_SECONDS
    while not condition():
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.01)


def until_settled(*directories: Path) -> None:
    """Return when no file below is so young that no answer may depend on it."""
    until(lambda: all(_is_settled(file) for each in directories for file in each.rglob("*")))


def _is_settled(file: Path) -> bool:
    return time.time_ns() - file.stat().st_ctime_ns > witness.SETTLED
