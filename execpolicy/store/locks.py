"""One process at a time at a file of the user's."""

import os

from execpolicy.store import digest, dirs
from execpolicy.store.files import private_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager


def locked(path: str) -> "AbstractContextManager[None]":
    """Hold the lock for a file: one process at a time, freed when its process ends."""
    from contextlib import contextmanager
    from fcntl import LOCK_EX, flock

    @contextmanager
    def held() -> "Iterator[None]":
        directory = os.path.join(dirs.state(), "locks")
        private_directory(dirs.state())
        private_directory(directory)
        name = digest.of(os.path.realpath(path).encode("utf-8", "surrogateescape"))[:32]
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(os.path.join(directory, name), flags, 0o600)
        try:
            flock(descriptor, LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    return held()


def sweep(real: str) -> None:
    """Take away what processes left behind that were killed while they held the lock."""
    directory, name = os.path.split(real)
    for entry in os.listdir(directory):
        if entry.startswith(f".{name}.") and entry.endswith(".tmp"):
            os.unlink(os.path.join(directory, entry))
