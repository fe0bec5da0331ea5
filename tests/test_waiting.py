"""The tests' own ways of waiting end."""

import signal

import pytest

from tests.waiting import HANG_SECONDS, Process


def fail_at(process: Process) -> None:
    """As a test that fails while a process is stopped."""
    with process:
        process.send_signal(signal.SIGSTOP)
        raise AssertionError("it failed")


def test_a_test_that_fails_does_not_wait_for_a_stopped_process() -> None:
    process = Process(["sleep", "600"])
    with pytest.raises(AssertionError, match="it failed"):
        fail_at(process)
    assert process.wait(HANG_SECONDS) == -signal.SIGKILL
