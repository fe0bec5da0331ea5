"""The two clocks that end approvals. The only place of the package that reads them."""

import time

from execpolicy.model.approval import Moment
from execpolicy.support.disk.bounded import read

_BOOT = "/proc/sys/kernel/random/boot_id"


def now() -> Moment:
    """This moment: the wall clock, the time since boot, and which boot it is."""
    running = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    boot = (read(_BOOT, 64) or b"").decode("utf-8", "replace").strip()
    return Moment(time.time(), time.clock_gettime(running), boot)
