"""Waiting for what another process does. How long it takes decides nothing: only a hang ends it."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from execpolicy.store.repeat import witness

HANG_SECONDS = 120.0
"""Far more than anything here takes on a busy machine."""


class Process(subprocess.Popen[bytes]):
    """A process that a test which fails does not wait for: it may be stopped, or never end."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.kill()
        super().__exit__(kind, error, trace)


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
