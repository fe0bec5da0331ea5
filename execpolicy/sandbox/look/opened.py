"""Opens a path with no link on the way to it."""

import os
from errno import ELOOP
from stat import S_ISLNK

_ANYTHING = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = _ANYTHING | os.O_DIRECTORY


def opened(path: str) -> int:
    """A path, opened name by name. Raises `OSError` where one of them is a link."""
    fd = os.open("/", _DIRECTORY)
    names = [name for name in path.split("/") if name]
    for at, name in enumerate(names):
        flags = _DIRECTORY if at < len(names) - 1 else _ANYTHING
        try:
            following = os.open(name, flags, dir_fd=fd)
        finally:
            os.close(fd)
        fd = following
    if S_ISLNK(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(ELOOP, "it is a link", path)
    return fd
