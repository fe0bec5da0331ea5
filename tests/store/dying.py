"""Processes that are killed at a chosen step of writing a file (`store.sources.files.replace`)."""

import os
import signal
from collections.abc import Callable

STEPS = ("created", "written", "synced", "renamed", "done")
"""All stages of which it tells, in order."""


def in_child(action: Callable[[], object]) -> int:
    """Run in a process of its own; its exit status as `waitpid` gives it."""
    child = os.fork()
    if child == 0:
        try:
            action()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def suicide(stage: str) -> Callable[[str], None]:
    """A step that ends its process at a stage, as a loss of power does."""

    def step(now: str) -> None:
        if now == stage:
            os.kill(os.getpid(), signal.SIGKILL)

    return step
