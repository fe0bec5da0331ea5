"""The journal of confined runs: a file for each, locked while its run lasts.

A file that is not locked belongs to a run that was killed: the next process finishes it.
Its name ends in that of the launcher, so that what outlives a killed launcher is known, and ended:
bubblewrap is killed with its parent, but not in the moments before it asks the kernel for that.
"""

import os
from time import sleep

from execpolicy.store.sources.files import private_directory
from execpolicy.support import directories, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 64 * 1024 * 1024
NEW = ".new"
HOLDER = "bwrap"
"""The program that holds a journal open beside its launcher, as long as anything inside lives."""
TRIES, PAUSE = 200, 0.005
"""How often a lock is tried again whose holder is being killed, and seconds between."""


def directory() -> str:
    """Where the journals are."""
    return os.path.join(directories.state(), "runs")


def quarantine() -> str:
    """Where things are moved that must not stand in a project."""
    return os.path.join(directories.state(), "quarantine")


class Journal:
    """One open journal, locked by every copy of `fd`. Raises `OSError` where it cannot be made."""

    __slots__ = ("fd", "path")

    def __init__(self, name: str) -> None:
        import fcntl

        private_directory(directories.state())
        private_directory(directory())
        self.path = os.path.join(directory(), f"{name}-{processes.own_name()}")
        # No process may find it unlocked: it gets its name when it is locked.
        made = f"{self.path}{NEW}"
        self.fd = os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(self.fd, fcntl.LOCK_EX)
        os.rename(made, self.path)

    def write(self, data: bytes) -> None:
        """Put down what is needed to finish the run."""
        while data:
            data = data[os.write(self.fd, data) :]

    def close(self) -> None:
        """The run is finished: nothing is left to be done."""
        os.unlink(self.path)
        os.close(self.fd)


def abandoned() -> "Iterator[tuple[str, bytes]]":
    """The journals of killed runs, each with its path; locked while it is looked at."""
    for name in sorted(os.listdir(directory())):
        path = os.path.join(directory(), name)
        if name.endswith(NEW):
            _forget(path, name.removesuffix(NEW))
            continue
        try:
            fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            if _locked(fd, path) and os.path.exists(path):
                yield path, os.read(fd, MAX_BYTES)
        finally:
            os.close(fd)


def _forget(path: str, name: str) -> None:
    """Remove what a launcher made that was killed before its run began."""
    if not processes.lives(_launcher(name)):
        try:
            os.unlink(path)
        except OSError:
            return


def _launcher(name: str) -> str:
    return name.partition("-")[2]


def _locked(fd: int, path: str) -> bool:
    """Lock a journal, unless its run goes on; what outlives a killed launcher is ended."""
    if _lock(fd):
        return True
    if processes.lives(_launcher(os.path.basename(path))):
        return False
    processes.end_holders(path, HOLDER)
    for _ in range(TRIES):
        sleep(PAUSE)
        if _lock(fd):
            return True
    return False


def _lock(fd: int) -> bool:
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
