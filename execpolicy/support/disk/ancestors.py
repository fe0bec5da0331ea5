"""Which of the directories above a deep one have an entry of some names, by one way up.

Of a path from the root on the kernel looks at every directory on the way; not so of `..`.
"""

import os

from execpolicy.support import watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MIN_DEPTH = 32
"""Slashes of a path from which on this is quicker, also where each look could be given again."""
_MAX_LENGTH = 4000
"""Characters that leave room for a name in the longest path (limits.h)."""
_PATH_ONLY = getattr(os, "O_PATH", 0)
_FLAGS = _PATH_ONLY | getattr(os, "O_DIRECTORY", 0) | os.O_CLOEXEC
KIND = "above"
"""How the look is called (`store.repeat.looks`)."""


def marked(directory: str, names: "Iterable[str]") -> frozenset[str] | None:
    """The directories, from a real one on up, with an entry of one of some names, whatever that is.

    None where that is not known: the directory is not deep, or its path has a link.
    """
    if directory.count("/") < MIN_DEPTH or directory[_MAX_LENGTH:] or not _PATH_ONLY:
        return None
    kind = f"{KIND} {' '.join(names)}"
    with watching.Aside():
        found = above(kind, directory)
    watching.tell(kind, directory, found)
    return None if found is None else frozenset(found)


def above(kind: str, directory: str) -> tuple[str, ...] | None:
    """The same for the names in a kind of look."""
    try:
        descriptor = os.open(directory, _FLAGS)
    except (FileNotFoundError, NotADirectoryError):  # nothing is below it
        return above(kind, directory.rpartition("/")[0]) if "/" in directory[1:] else None
    except (OSError, ValueError):
        return None
    names, here, found = kind.split(" ")[1:], directory, list[str]()
    try:
        is_real = _is_at(descriptor, here)
        while is_real:
            if True in [_has(name, descriptor) for name in names]:
                found.append(here)
            if here == "/":
                break
            here = here.rpartition("/")[0] or "/"
            parent = os.open("..", _FLAGS, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = parent
        return tuple(found) if is_real and _is_at(descriptor, "/") else None
    except OSError:  # a directory that may not be searched
        return None
    finally:
        os.close(descriptor)


def _is_at(descriptor: int, path: str) -> bool:
    return os.readlink(f"/proc/self/fd/{descriptor}") == path


def _has(name: str, directory: int) -> bool:
    return os.access(name, os.F_OK, dir_fd=directory, follow_symlinks=False)
