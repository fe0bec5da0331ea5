"""Logs: files of JSON, one line an event.

A line, or several, are one `write` to a file opened for appending, so lines of several processes
never mix.
"""

import os
import stat
import sys
import time

from execpolicy.model.errors import printable
from execpolicy.support import watching

KEEP = 3
PATIENCE, PAUSE = 0.3, 0.02
"""Seconds that a process may hold a log up, by a lease or a lock, and between two tries."""
MAX_HELD = 65_536
"""Bytes of lines that wait for others."""
_warned: set[str] = set()


class Held:
    """Lines that are written together, by one `write` for each log.

    `path` is that of the user's own log, once it is known.
    """

    def __init__(self) -> None:
        self.path = ""
        self._logs: dict[tuple[str, int], list[bytes]] = {}
        self._size = 0

    def add(self, path: str, line: bytes, max_bytes: int) -> None:
        """Hold a line for its log, or write all at once where they are many."""
        self._logs.setdefault((path, max_bytes), []).append(line)
        self._size += len(line)
        if self._size > MAX_HELD:
            self.write()

    def write(self) -> None:
        """Append what is held. Never raises: what goes wrong is a line on stderr."""
        logs, self._logs, self._size = self._logs, {}, 0
        for (path, max_bytes), lines in logs.items():
            try:
                append(path, b"".join(lines), max_bytes)
            except Exception as error:
                warn(path, error)


def record(path: str, line: str, max_bytes: int, held: Held | None = None) -> None:
    """Append an object, the time in front of its fields, or hold it. Raises `OSError`."""
    if watching.here.witness is not None:
        watching.here.witness.wrote(path, line, max_bytes)
    now = timestamp(time.time())
    data = f'{{"time": "{now}", {line[1:]}\n'.encode()
    if held is None:
        append(path, data, max_bytes)
    else:
        held.add(path, data, max_bytes)


def timestamp(seconds: float) -> str:
    """A point in time in UTC, by RFC 3339, to the millisecond.

    >>> timestamp(0.5)
    '1970-01-01T00:00:00.500Z'
    """
    whole = int(seconds)
    milli = int((seconds - whole) * 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{milli:03}Z"


def append(path: str, line: bytes, max_bytes: int) -> None:
    """Append a line, and move the log aside before where it would become too large.

    One that another process holds up (F_SETLEASE of fcntl(2)) is moved aside, too, so that a new
    one takes the line. Raises `OSError`.
    """
    try:
        descriptor, size = _awaited(path)
    except BlockingIOError:
        rotate(path, 0)
        descriptor, size = _open(path)
        held_up = (
            f"another process holds `{printable(path)}` up, which is `{printable(path)}.1` now"
        )
        print(f"execpolicy: warning: {held_up}", file=sys.stderr)
    try:
        if max_bytes and size + len(line) > max_bytes:
            rotate(path, max_bytes - len(line))
            os.close(descriptor)
            descriptor = -1
            descriptor, _ = _open(path)
        written = os.write(descriptor, line)
        if written != len(line):
            os.write(descriptor, b"\n")  # so that the next line is whole
            raise OSError("the disk is full")
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _awaited(path: str) -> tuple[int, int]:
    """The same as `_open`, once no other process holds the log up any more."""
    ends = time.monotonic() + PATIENCE
    while True:
        try:
            return _open(path)
        except BlockingIOError:
            if time.monotonic() >= ends:
                raise
            time.sleep(PAUSE)


def _open(path: str) -> tuple[int, int]:
    """The descriptor of a log, and its size. Raises `OSError`."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        descriptor = os.open(path, flags, 0o600)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        os.close(descriptor)
        raise OSError("it is not this user's own regular file")
    if status.st_mode & 0o077:
        os.fchmod(descriptor, 0o600)
    return descriptor, status.st_size


def rotate(path: str, above: int) -> None:
    """Move the log aside and drop the oldest, unless another process just did.

    A process that had the file open writes its line into the one that was moved: none is lost.
    Where another process does not let go of the lock the log grows.
    """
    from execpolicy.store.sources.locks import taken

    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        size = os.stat(path).st_size if taken(lock, PATIENCE) else 0
        if size and size > above:
            for number in range(KEEP - 1, 0, -1):
                if os.path.lexists(f"{path}.{number}"):
                    os.rename(f"{path}.{number}", f"{path}.{number + 1}")
            os.rename(path, f"{path}.1")
    finally:
        os.close(lock)


def warn(path: str, error: Exception) -> None:
    """Say once on stderr that a log cannot be written."""
    if path not in _warned:
        _warned.add(path)
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, PermissionError) and not os.access(os.path.dirname(path), os.X_OK):
            reason += "; in a sandbox earlier answers and what is trusted are not seen either"
        print(
            f"execpolicy: warning: the audit log `{printable(path)}` cannot be written: {reason}",
            file=sys.stderr,
        )
