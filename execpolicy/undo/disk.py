"""Puts files and directories back below a root: no link is followed, and nothing is written through
what another process put in the way.

Each path is walked from the root by descriptors. What is brought back is written beside its place
and renamed over it, so that no process sees half of a file.
"""

import os
import stat
from _collections_abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager

from execpolicy.undo import entry
from execpolicy.undo.entry import (
    CTIME,
    DIRECTORY,
    FILE,
    INODE,
    LINK,
    MTIME,
    SPECIAL,
    UNFINISHED,
    Entry,
    is_ours,
)

_ENTER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_NAMES = frozenset(("", ".", ".."))


class Disk:
    """The files below the real path of a project.

    `shared` are inodes of which several names are given other files: each takes a name from them,
    which the time of their last change tells like a change of their own.
    """

    __slots__ = ("_root", "_shared")

    def __init__(self, root: str, shared: "Container[int]" = ()) -> None:
        self._root, self._shared = root, shared

    @contextmanager
    def _above(self, path: str) -> "Iterator[tuple[int, str]]":
        """The directory of a path, open, and the name in it. Raises `OSError`."""
        *above, name = path.split("/")
        if path and (not _NO_NAMES.isdisjoint((*above, name)) or "\0" in path):
            raise OSError("it leads out of the project")
        here = os.open(self._root, _ENTER)
        try:
            for each in above:
                inner = os.open(each, _ENTER, dir_fd=here)
                os.close(here)
                here = inner
            yield here, name or "."
        finally:
            os.close(here)

    def is_now(self, path: str, expected: "Entry | None") -> bool:
        """Whether at a path stands what was noted of it, by a look that reads no file."""
        try:
            with self._above(path) as (above, name):
                return self._is(above, name, expected)
        except (FileNotFoundError, NotADirectoryError):
            return expected is None
        except OSError:
            return False

    def put(
        self,
        path: str,
        wanted: "Entry",
        expected: "Entry | None",
        content: "Callable[[str], Iterable[bytes]]",
    ) -> bool:
        """Put a file, a link or a pipe in the place of what is expected there; whether that is what
        stood there to the last. Raises `OSError`."""
        with self._above(path) as (above, name):
            made = UNFINISHED + os.urandom(8).hex()
            try:
                _make(above, made, wanted, content)
                if not self._is(above, name, expected):
                    _unlink(above, made)
                    return False
                if expected is None:
                    return _appear(above, made, name)
                if expected[0] == DIRECTORY:
                    os.rmdir(name, dir_fd=above)
                os.rename(made, name, src_dir_fd=above, dst_dir_fd=above)
                return True
            except BaseException:
                _unlink(above, made)
                raise

    def make_directory(self, path: str) -> None:
        """Make a directory, in the place of what is none. Raises `OSError`."""
        with self._above(path) as (above, name):
            kind = _kind(above, name)
            if kind != DIRECTORY:
                if kind:
                    os.unlink(name, dir_fd=above)
                os.mkdir(name, 0o700, dir_fd=above)

    def set_mode(self, path: str, wanted: "Entry") -> None:
        """Give a directory its mode and owner again. Raises `OSError`."""
        with self._above(path) as (above, name):
            descriptor = os.open(name, _ENTER, dir_fd=above)
            try:
                _own(descriptor, wanted)
            finally:
                os.close(descriptor)

    def open_up(self, path: str) -> "Iterator[Entry]":
        """Let the owner write to a directory; what it was before, unless it need not be changed."""
        try:
            with self._above(path) as (above, name):
                descriptor = os.open(name, _ENTER, dir_fd=above)
        except OSError:
            return
        try:
            state = os.fstat(descriptor)
            if state.st_mode & 0o300 != 0o300:
                os.fchmod(descriptor, state.st_mode & 0o7777 | 0o700)
                yield entry.directory(state, "")
        except PermissionError:  # it is another user's
            return
        finally:
            os.close(descriptor)

    def holds(self, path: str, wanted: "Entry") -> bool:
        """Whether at a path stands what was brought back there."""
        try:
            with self._above(path) as (above, name):
                if wanted[0] == LINK:
                    return os.readlink(name, dir_fd=above) == wanted[1]
                if wanted[0] != FILE:
                    return self._is(above, name, wanted)
                state = os.stat(name, dir_fd=above, follow_symlinks=False)
                return (
                    stat.S_ISREG(state.st_mode)
                    and (FILE, *entry.stamp(state))[: MTIME + 1] == wanted[: MTIME + 1]
                )
        except OSError:
            return False

    def _is(self, above: int, name: str, expected: "Entry | None") -> bool:
        try:
            state = os.stat(name, dir_fd=above, follow_symlinks=False)
        except FileNotFoundError:
            return expected is None
        kind = _kind(above, name)
        if expected is None or kind != expected[0]:
            return False
        if kind == FILE:
            found = (FILE, *entry.stamp(state))
            if state.st_ino in self._shared:
                return (*found[:CTIME], found[INODE]) == (*expected[:CTIME], expected[INODE])
            return found == expected[:-1]
        if kind == LINK:
            return (os.readlink(name, dir_fd=above), state.st_ctime_ns) == expected[1:]
        return kind == DIRECTORY or entry.special(state) == expected

    def is_directory(self, path: str) -> bool:
        """Whether a directory stands at a path."""
        try:
            with self._above(path) as (above, name):
                return _kind(above, name) == DIRECTORY
        except OSError:
            return False

    def remove(self, path: str) -> None:
        """Remove what stands at a path; a directory only if it is empty. Raises `OSError`."""
        with self._above(path) as (above, name):
            if _kind(above, name) == DIRECTORY:
                os.rmdir(name, dir_fd=above)
            else:
                os.unlink(name, dir_fd=above)

    def sweep(self, path: str) -> None:
        """Remove what an undo that was ended in its midst left in a directory."""
        try:
            with self._above(path) as (above, name):
                descriptor = os.open(name, _ENTER, dir_fd=above)
        except OSError:
            return
        try:
            for each in os.listdir(descriptor):
                if is_ours(each, UNFINISHED):
                    _unlink(descriptor, each)
        finally:
            os.close(descriptor)


def _kind(above: int, name: str) -> str:
    """The kind of what stands at a name; empty where there is nothing."""
    try:
        mode = os.stat(name, dir_fd=above, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return ""
    if stat.S_ISDIR(mode):
        return DIRECTORY
    return FILE if stat.S_ISREG(mode) else LINK if stat.S_ISLNK(mode) else SPECIAL


def _appear(above: int, made: str, name: str) -> bool:
    """Give a file its name, unless another one has that by now: whether it was free."""
    try:
        os.link(made, name, src_dir_fd=above, dst_dir_fd=above, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError:  # a file system on which a file has one name
        os.rename(made, name, src_dir_fd=above, dst_dir_fd=above)
        return True
    finally:
        _unlink(above, made)
    return True


def _make(
    above: int, name: str, wanted: "Entry", content: "Callable[[str], Iterable[bytes]]"
) -> None:
    if wanted[0] == LINK:
        os.symlink(str(wanted[1]), name, dir_fd=above)
    elif wanted[0] == SPECIAL:
        if wanted[1] != stat.S_IFIFO:
            raise OSError("sockets and devices are not made again")
        os.mkfifo(name, int(wanted[2]), dir_fd=above)
        os.chmod(name, int(wanted[2]), dir_fd=above)
    else:
        descriptor = os.open(name, _NEW, 0o600, dir_fd=above)
        try:
            for data in content(str(wanted[-1])):
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
            _own(descriptor, wanted)
            os.utime(descriptor, ns=(int(wanted[MTIME]), int(wanted[MTIME])))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _own(descriptor: int, wanted: "Entry") -> None:
    mode, user, group = int(wanted[1]), int(wanted[2]), int(wanted[3])
    state = os.fstat(descriptor)
    if (state.st_uid, state.st_gid) != (user, group):
        try:
            os.fchown(descriptor, user, group)
        except PermissionError:  # it was another user's, and is this one's now
            mode &= 0o1777
    os.fchmod(descriptor, mode)


def _unlink(above: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=above)
    except OSError:
        return
