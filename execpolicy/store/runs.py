"""The journal of confined runs: a file for each, locked while its run lasts.

A file that is not locked belongs to a run that was killed: the next process finishes it.
"""

import os

from execpolicy.store.sources.files import private_directory
from execpolicy.support import directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 64 * 1024 * 1024


def directory() -> str:
    """Where the journals are."""
    return os.path.join(directories.state(), "runs")


def quarantine() -> str:
    """Where things are moved that must not stand in a project."""
    return os.path.join(directories.state(), "quarantine")


class Journal:
    """One open journal, locked by every copy of `fd`. Raises `OSError` where it cannot be made."""

    __slots__ = ("fd", "name", "path")

    def __init__(self, name: str) -> None:
        import fcntl

        private_directory(directories.state())
        private_directory(directory())
        self.name = name
        self.path = os.path.join(directory(), name)
        # Nobody may find it unlocked: it gets its name when it is locked.
        made = f"{self.path}.new"
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
    import fcntl

    for name in sorted(os.listdir(directory())):
        path = os.path.join(directory(), name)
        try:
            fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.exists(path) and not path.endswith(".new"):
                yield path, os.read(fd, MAX_BYTES)
        except BlockingIOError:
            continue
        finally:
            os.close(fd)
