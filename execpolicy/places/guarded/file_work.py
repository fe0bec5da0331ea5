"""What is done with a file once its directory is open. No link is followed, no pipe waited for."""

import os
import stat
from _collections_abc import Iterator
from errno import EINVAL

MAX_BYTES = 16 * 1024 * 1024
"""Of one file that is read."""


def below_it(top: str) -> "Iterator[str]":
    """Every file below a directory, or the file itself; no link is followed."""
    if not os.path.isdir(top):
        yield top
        return
    for here, _, names in os.walk(top):
        yield from (os.path.join(here, name) for name in sorted(names))


def _open(directory: int, name: str, flags: int) -> int:
    """A regular file; a pipe is not waited for. Raises `OSError`."""
    flags |= os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o666, dir_fd=directory)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(EINVAL, "it is not a regular file")


def read_text(directory: int, name: str) -> str:
    """The text of a regular file. Raises `OSError`, and `UnicodeDecodeError` for other bytes."""
    with os.fdopen(_open(directory, name, os.O_RDONLY), "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(EINVAL, f"it is longer than {MAX_BYTES} bytes")
    return data.decode()


def write_text(directory: int, name: str, text: str) -> None:
    """Make a regular file have this text. Raises `OSError`."""
    data = text.encode()
    with os.fdopen(_open(directory, name, os.O_WRONLY | os.O_CREAT), "wb") as file:
        file.truncate(0)
        file.write(data)


def remove(directory: int, name: str) -> None:
    """Remove a file, a link or an empty directory. Raises `OSError`."""
    mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    (os.rmdir if stat.S_ISDIR(mode) else os.unlink)(name, dir_fd=directory)
