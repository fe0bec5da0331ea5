"""One process at a time at a file of the user's."""

import os
from errno import EWOULDBLOCK

from execpolicy.store.sources.files import private_directory
from execpolicy.support import digest, directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import TypeVar

    T = TypeVar("T")


def locked(path: str) -> "AbstractContextManager[None]":
    """Hold the lock for a file: one process at a time, freed when its process ends.

    Raises `OSError` where another process does not let go of it.
    """
    from contextlib import contextmanager

    @contextmanager
    def held() -> "Iterator[None]":
        directory = os.path.join(directories.state(), "locks")
        private_directory(directories.state())
        private_directory(directory)
        name = digest.of(os.path.realpath(path).encode("utf-8", "surrogateescape"))[:32]
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(os.path.join(directory, name), flags, 0o600)
        try:
            if not taken(descriptor, MAX_WAIT_SECONDS):
                raise OSError(EWOULDBLOCK, "another process does not let go of its lock", path)
            yield
        finally:
            os.close(descriptor)

    return held()


MAX_WAIT_SECONDS = 10.0
"""Longer than anything takes that is done under a lock."""
_POLL_SECONDS = 0.02


def taken(descriptor: int, seconds: float) -> bool:
    """Lock an open file within this time; whether that was done."""
    import time
    from fcntl import LOCK_EX, LOCK_NB, flock

    deadline = time.monotonic() + seconds
    while True:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
        else:
            return True


def once(path: str, recall: "Callable[[], T | None]", make: "Callable[[], T]") -> "T":
    """What is kept at this path, made by one process while others wait for it.

    The first process makes it; the others look, all together, whether it is there then. A file that
    cannot be locked, and a process that was stopped while it held the lock, stop no other process:
    what is made twice is only slow.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
    directory, name = os.path.split(path)
    try:
        private_directory(os.path.dirname(directory))
        private_directory(directory)
        descriptor = os.open(os.path.join(directory, f".{name}.lock"), flags, 0o600)
    except OSError:
        return make()
    try:
        found = _awaited(descriptor, recall)
        return make() if found is None else found
    finally:
        os.close(descriptor)


def _awaited(descriptor: int, recall: "Callable[[], T | None]") -> "T | None":
    """What another process made meanwhile; None where it is this one's turn to make it."""
    import time
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, flock

    deadline = time.monotonic() + MAX_WAIT_SECONDS
    wanted = LOCK_EX
    while time.monotonic() < deadline:
        try:
            flock(descriptor, wanted | LOCK_NB)
        except BlockingIOError:
            wanted = LOCK_SH
            time.sleep(_POLL_SECONDS)
            continue
        except OSError:  # a file system without locks
            return None
        found = recall()
        if found is not None or wanted == LOCK_EX:
            return found
        flock(descriptor, LOCK_UN)  # the process that held it was ended
        wanted = LOCK_EX
    return None


def sweep(real: str) -> None:
    """Remove what processes left that were killed while they held the lock."""
    directory, name = os.path.split(real)
    for entry in os.listdir(directory):
        if entry.startswith(f".{name}.") and entry.endswith(".tmp"):
            os.unlink(os.path.join(directory, entry))
