"""Files of a session's home, which the agent may have made anything of, and files outside of it."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep, time

from execpolicy.store.sources.files import replace
from execpolicy.support.record import Value
from execpolicy.wrap.home.merge import Table

MAX_BYTES = 16 * 1024 * 1024
MODE = 0o600
WAIT, STALE = 5.0, 10.0
"""Seconds that a lock is waited for, and after which one that its owner does not renew is none."""
PAUSE = 0.02


class UnreadableStateError(Exception):
    """A file that is not a table of JSON, or not a file; why."""


class FileContent(Value):
    """The bytes of a file and its mode, None where there is none."""

    data: bytes | None = None
    mode: int = MODE


def content(path: str, *, follow: bool = False) -> FileContent:
    """What a regular file holds; nothing where there is none.

    Raises `UnreadableStateError` for what is not a regular file, cannot be read, is longer than
    `MAX_BYTES`, or, unless `follow`, is a link.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return FileContent()
    except (OSError, ValueError) as error:
        raise UnreadableStateError(getattr(error, "strerror", None) or str(error)) from error
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableStateError("it is not a regular file")
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UnreadableStateError(f"it is longer than {MAX_BYTES} bytes")
    return FileContent(data, stat.S_IMODE(status.st_mode))


def table(data: bytes | None) -> Table:
    """A table of JSON, which may have comments; an empty one of no file.

    Raises `UnreadableStateError`.
    """
    import json

    if data is None:
        return {}
    try:
        found = json.loads(data, parse_constant=_refused)
    except (ValueError, RecursionError):
        found = _commented(data)
    if not isinstance(found, dict):
        raise UnreadableStateError("it is not a table of JSON")
    return found


def _commented(data: bytes) -> object:
    """A value of JSON with comments, as Copilot begins its file. Raises `UnreadableStateError`."""
    from execpolicy.hosts.install.jsonc import JsonError, parse

    try:
        return parse(data.decode()).value
    except (JsonError, ValueError, RecursionError) as error:
        raise UnreadableStateError("it is not JSON") from error


def _refused(word: str) -> object:
    raise ValueError(f"{word} is no JSON")


def written(table: Table) -> bytes:
    """A table as the agents write it. Raises `UnreadableStateError` for what is no JSON."""
    import json

    try:
        text = json.dumps(table, indent=2, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise UnreadableStateError("it is not JSON") from error
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a pair of UTF-16, which JSON has as an escape only
        return json.dumps(table, indent=2, allow_nan=False).encode()


def put(path: str, data: bytes, mode: int) -> None:
    """Replace a file outside by rename; where it is a link, the file that it leads to."""
    replace(os.path.realpath(path), data, mode & 0o777)


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Hold the lock of a file: that of our own sessions, and the one that agents of Node.js use.

    The latter is a directory beside the file, of a name that ends in `.lock`, whose time its owner
    renews (the package `proper-lockfile`). Where it stays for `WAIT` seconds the file is written
    all the same, by rename.
    """
    import fcntl

    real = os.path.realpath(path)
    directory = os.path.dirname(real)
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    beside = f"{real}.lock"
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        held = _made(beside)
        try:
            yield
        finally:
            if held:
                os.rmdir(beside)
    finally:
        os.close(descriptor)


def _made(beside: str) -> bool:
    """Make a lock that is a directory; whether it is ours."""
    until = monotonic() + WAIT
    while True:
        try:
            os.mkdir(beside)
        except OSError:
            if _is_stale(beside) or monotonic() > until:
                return False
            sleep(PAUSE)
        else:
            return True


def _is_stale(beside: str) -> bool:
    try:
        return time() - os.lstat(beside).st_mtime > STALE
    except OSError:
        return False
