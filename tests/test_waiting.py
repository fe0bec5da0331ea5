"""The tests' own ways of waiting end."""

import signal

import pytest

from tests.waiting import HANG_SECONDS, Process


def test_a_test_that_fails_does_not_wait_for_a_stopped_process() -> None:
    with pytest.raises(AssertionError, match="as a test"), Process(["sleep", "600"]) as process:
        process.send_signal(signal.SIGSTOP)
        raise AssertionError("as a test that fails does")
    assert process.wait(HANG_SECONDS) == -signal.SIGKILL
