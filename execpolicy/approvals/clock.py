"""The two clocks that end approvals. The only place of the package that reads them."""

import time

from execpolicy.model.approval import Moment

_BOOT = "/proc/sys/kernel/random/boot_id"


def now() -> Moment:
    """This moment: the wall clock, the time since boot, and which boot it is."""
    running = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return Moment(time.time(), time.clock_gettime(running), _boot())


def _boot() -> str:
    try:
        with open(_BOOT, encoding="ascii") as file:
            return file.read(64).strip()
    except OSError:
        return ""
