"""The journal of confined runs: a file for each, and beside it a lock while its run lasts.

A file that is not locked belongs to a run that was killed: the next process finishes it.
The lock is the launcher's alone. What is open in the first process of the sandbox, where commands
find it below `/proc/1/fd`, has no path: an empty file in memory that cannot be written, named as
the journal is. The name ends in that of the launcher, so that what outlives a killed launcher is
known, and ended: bubblewrap is killed with its parent, but not in the moments before it asks the
kernel for that.
"""

import os
from _collections_abc import Iterator
from time import sleep

from execpolicy.store.sources.files import private_directory
from execpolicy.support import directories, processes

MAX_BYTES = 64 * 1024 * 1024
NEW, LOCK = ".new", ".lock"
HOLDER = "bwrap"
"""The program that holds the file in memory open, as long as anything inside lives."""
TRIES, PAUSE = 200, 0.005
"""How often it is looked again whether what is being killed is gone, and seconds between."""
_ADD_SEALS, _ALL_SEALS = 1033, 0xF
"""F_ADD_SEALS, and all of memfd_create(2): it does not grow, shrink or change, nor that."""


def directory() -> str:
    """Where the journals are."""
    return os.path.join(directories.state(), "runs")


def quarantine() -> str:
    """Where things are moved that must not stand in a project."""
    return os.path.join(directories.state(), "quarantine")


class Journal:
    """The journal of a run. `held` is to stay open as long as anything of the run lives.

    Raises `OSError` where it cannot be made.
    """

    def __init__(self, name: str) -> None:
        import fcntl

        private_directory(directories.state())
        private_directory(directory())
        self.path = os.path.join(directory(), f"{name}-{processes.own_name()}")
        self._lock = _opened(f"{self.path}{LOCK}", os.O_CREAT | os.O_EXCL)
        self.held = os.memfd_create(
            os.path.basename(self.path), os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
        )
        fcntl.fcntl(self.held, _ADD_SEALS, _ALL_SEALS)
        _lock(self._lock)

    def write(self, data: bytes) -> None:
        """Put down what is needed to finish the run. No process finds it before it is whole."""
        made = f"{self.path}{NEW}"
        fd = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            while data:
                data = data[os.write(fd, data) :]
        finally:
            os.close(fd)
        os.rename(made, self.path)

    def close(self) -> None:
        """The run is finished: nothing is left to be done."""
        os.unlink(self.path)
        os.unlink(f"{self.path}{LOCK}")
        self.leave()

    def leave(self) -> None:
        """Something is left: the next process tries again."""
        os.close(self._lock)
        os.close(self.held)


def begin(name: str, text: bytes) -> Journal:
    """Write down what a run may not leave. Raises `OSError`."""
    journal = Journal(name)
    journal.write(text)
    return journal


def _opened(lock: str, more: int = 0) -> int:
    """A lock, open. Raises `OSError`."""
    return os.open(lock, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | more, 0o600)


def abandoned() -> Iterator[tuple[str, bytes]]:
    """The journals of killed runs, each with its path; locked while it is looked at."""
    for name in sorted(os.listdir(directory())):
        path = os.path.join(directory(), name)
        if name.endswith((NEW, LOCK)):
            _forget(path)
            continue
        try:
            fd = _opened(f"{path}{LOCK}")
        except OSError:
            continue
        try:
            if _locked(fd, path) and (data := _read(path)) is not None:
                yield path, data
        finally:
            os.close(fd)


def _read(path: str) -> bytes | None:
    """A journal; None where another process has finished it meanwhile."""
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES)
    except FileNotFoundError:
        return None


def _forget(path: str) -> None:
    """Remove what a launcher left that was killed before its run began, or after its end."""
    whole = path.removesuffix(NEW).removesuffix(LOCK)
    if not os.path.exists(whole) and not processes.lives(_launcher(os.path.basename(whole))):
        try:
            os.unlink(path)
        except OSError:
            return


def _launcher(name: str) -> str:
    return name.partition("-")[2]


def _locked(fd: int, path: str) -> bool:
    """Lock a journal, unless its run goes on; what outlives a killed launcher is ended."""
    if not _lock(fd) or processes.lives(_launcher(os.path.basename(path))):
        return False
    name = f"/memfd:{os.path.basename(path)} (deleted)"
    for _ in range(TRIES):
        if not processes.end_holders(name, HOLDER):
            return True
        sleep(PAUSE)
    return False


def _lock(fd: int) -> bool:
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
