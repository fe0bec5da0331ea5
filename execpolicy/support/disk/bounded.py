"""Reading the beginning of a file that may be anything: a pipe, a device, too large."""

import os
import stat

_AT_ONCE = 1 << 16
"""Bytes that are read of a file at least: one of the kernel has no size."""


def opened(path: str, follow: bool = True, links: int = 0) -> int | None:
    """A regular file, opened to be read; None where there is none that can be, or it has more names
    on the disk than `links`, if that is given.

    Nothing waits: a pipe without a writer is not a regular file, nor, unless `follow`, is a link.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError):
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or (links and status.st_nlink > links):
        os.close(descriptor)
        return None
    return descriptor


def read(path: str, limit: int, follow: bool = True, links: int = 0) -> bytes | None:
    """At most so many bytes of a file that `opened` opens; None where there is none."""
    descriptor = opened(path, follow, links)
    if descriptor is None:
        return None
    try:
        size = max(os.fstat(descriptor).st_size + 1, _AT_ONCE)  # a buffer is made for all of it
        found = b""
        while len(found) < limit and (data := os.read(descriptor, min(size, limit - len(found)))):
            found += data
        return found
    except OSError:
        return None
    finally:
        os.close(descriptor)
