"""Directories opened so that no link is followed, whatever another process does meanwhile.

A path is judged at one moment and opened at another. In between a directory of it may have become a
link to somewhere else. So it is opened name by name below a directory that is held open, or by the
kernel in one step (openat2(2), Linux 5.6), and a link on the way is an error.
"""

import os
from contextlib import suppress
from errno import E2BIG, ELOOP, ENOENT, ENOSYS, ENOTDIR, EPERM, EXDEV

_NUMBER = 437
"""Of `openat2`, on every machine but alpha (asm-generic/unistd.h)."""
_RESOLVE = 0x02 | 0x04 | 0x08
"""No magic links, no symbolic links, and nothing above the directory (linux/openat2.h)."""
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
EXCHANGED = frozenset((ELOOP, ENOTDIR, EXDEV))
"""What the kernel says where a name is no longer the directory that it was."""


class Beneath:
    """A directory held open. Raises `OSError` where it is not a directory."""

    def __init__(self, path: str, kernel: bool = True) -> None:
        self.path = path
        self.top = os.open(path, _DIRECTORY)
        self._kernel = kernel

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self.top)

    def directory(self, names: list[str], create: bool = False) -> int:
        """A descriptor of a directory below; with `create` it is made, and those above it.

        Raises `OSError`, with a number of `EXCHANGED` where a link is on the way.
        """
        if self._kernel:
            try:
                return _openat2(self.top, "/".join(names) or ".")
            except OSError as error:
                if error.errno in (ENOSYS, EPERM, E2BIG):
                    self._kernel = False
                elif error.errno != ENOENT or not create:
                    raise
        return self._walked(names, create)

    def _walked(self, names: list[str], create: bool) -> int:
        here = os.dup(self.top)
        try:
            for name in names:
                below = _step(here, name, create)
                os.close(here)
                here = below
        except BaseException:
            os.close(here)
            raise
        return here


def _step(directory: int, name: str, create: bool) -> int:
    """The directory of this name, made where it is missing."""
    try:
        return os.open(name, _DIRECTORY, dir_fd=directory)
    except FileNotFoundError:
        if not create:
            raise
    with suppress(FileExistsError):  # another was faster; what it is, the next line finds
        os.mkdir(name, 0o777, dir_fd=directory)  # less the umask, as everywhere
    return os.open(name, _DIRECTORY, dir_fd=directory)


def _openat2(directory: int, path: str) -> int:
    """The directory below, by the kernel in one step. Raises `OSError`."""
    import ctypes

    how = (ctypes.c_uint64 * 3)(_DIRECTORY, 0, _RESOLVE)
    call = ctypes.CDLL(None, use_errno=True).syscall
    found: int = call(
        ctypes.c_long(_NUMBER),
        ctypes.c_int(directory),
        ctypes.c_char_p(os.fsencode(path)),
        ctypes.byref(how),
        ctypes.c_size_t(ctypes.sizeof(how)),
    )
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return found


def place_of(descriptor: int) -> str | None:
    """The path of what is open, as the kernel knows it; None where it does not tell."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return None
