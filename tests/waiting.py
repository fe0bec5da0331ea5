"""Waiting for what another process does. How long it takes decides nothing: only a hang ends it."""

import time
from collections.abc import Callable

HANG_SECONDS = 120.0
"""Far more than anything here takes on a busy machine."""


def until(condition: Callable[[], object]) -> None:
    """Return when a condition holds. Raises `AssertionError` where it never does."""
    ends = time.monotonic() + HANG_SECONDS
    while not condition():
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.01)
