"""The two clocks that end approvals. The only place of the package that reads them."""

import os
import time

from execpolicy.model.approval import Moment

_BOOT = "/proc/sys/kernel/random/boot_id"


def now() -> Moment:
    """This moment: the wall clock, the time since boot, and which boot it is."""
    running = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return Moment(time.time(), time.clock_gettime(running), _boot())


def _boot() -> str:
    try:
        descriptor = os.open(_BOOT, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(descriptor, 64).decode("utf-8", "replace").strip()
    finally:
        os.close(descriptor)
