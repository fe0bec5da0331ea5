"""Which of the directories above a deep one have an entry of some names, by one way up.

Of a path from the root on the kernel looks at every directory on the way; not so of `..`.
"""

import os

from execpolicy.support import watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_LENGTH = 4000
"""Characters that leave room for a name in the longest path (limits.h)."""
_PATH_ONLY = getattr(os, "O_PATH", 0)
_STEPS = tuple("../" * levels for levels in range(8))
"""Ways that are as quick as to open each directory, and then fewer calls."""
_FLAGS = _PATH_ONLY | getattr(os, "O_DIRECTORY", 0) | os.O_CLOEXEC


def marked(directory: str, names: "Iterable[str]") -> frozenset[str] | None:
    """The directories, from a real one on up, with an entry of one of some names, whatever that is.

    None where that is not known: its path has a link, or a directory may not be searched.
    """
    if directory[_MAX_LENGTH:] or not _PATH_ONLY:
        return None
    kind = f"above {' '.join(names)}"  # a look of `store.repeat.looks`
    with watching.Aside():
        found = above(kind, directory)
    watching.tell(kind, directory, found)
    return None if found is None else frozenset(found)


def above(kind: str, directory: str) -> tuple[str, ...] | None:
    """The same for the names in a kind of look."""
    opened = _opened(directory)
    if opened is None:
        return None
    here, descriptor = opened
    names, found = kind.split(" ")[1:], list[str]()
    try:
        # A filter of system calls may refuse to look at a name where it lets a path be looked at.
        is_real = _is_at(descriptor, here) and _has(".", descriptor)
        while is_real and here:
            for up in _STEPS:
                if True in [_has(up + name, descriptor) for name in names]:
                    found.append(here)
                if here == "/":
                    here = ""
                    break
                here = here.rpartition("/")[0] or "/"
            parent = os.open("../" * len(_STEPS), _FLAGS, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = parent
        return tuple(found) if is_real and _is_at(descriptor, "/") else None
    except OSError:  # a directory that may not be searched
        return None
    finally:
        os.close(descriptor)


def _opened(directory: str) -> tuple[str, int] | None:
    """The directory, or the deepest one above it that is there: nothing is below what is not."""
    while directory[:1] == "/":
        try:
            return directory, os.open(directory, _FLAGS)
        except (FileNotFoundError, NotADirectoryError):
            directory = directory.rpartition("/")[0]
        except (OSError, ValueError):
            break
    return None


def _is_at(descriptor: int, path: str) -> bool:
    return os.readlink(f"/proc/self/fd/{descriptor}") == path


def _has(name: str, directory: int) -> bool:
    return os.access(name, os.F_OK, dir_fd=directory, follow_symlinks=False)
