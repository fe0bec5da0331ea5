"""Reading and replacing small files so that no process sees half of one."""

import os
import stat
from _collections_abc import Callable

from execpolicy.model.errors import Diagnostic, ExecPolicyError, Span, printable
from execpolicy.support import directories
from execpolicy.support.record import Value

_ACL = "system.posix_acl_access"
_LISTED: "Callable[[str | int], list[str]] | None" = getattr(os, "listxattr", None)
MAX_RULES_BYTES = 8 * 1024 * 1024
"""Of a rules file; a larger one is a problem and is not read."""


class RulesFile(Value):
    """A rules file of a layer: where it is, and its bytes or why they could not be read.

    `trusted` says whether its rules may loosen; where they may not, `remedy` is what to do about
    it, if that is not what helps all files of the layer. `real` is the path with symbolic links
    resolved, where that is another one. `root` is the real root of the project that it belongs to.
    A directory that cannot be read stands here too, as a file with a problem.
    """

    layer: str
    path: str
    data: bytes
    problem: Diagnostic | None = None
    trusted: bool = True
    real: str = ""
    root: str = ""
    remedy: str | None = None


def rules_in(path: str) -> list[str]:
    """The rules files in a directory, sorted, or the path itself if it is none.

    Raises `ExecPolicyError` if the directory has none.
    """
    if not os.path.isdir(path):
        return [path]
    names = sorted(n for n in os.listdir(path) if n.endswith(".rules") and not n.startswith("."))
    if not names:
        raise ExecPolicyError(f"`{printable(path)}` holds no `*.rules` files")
    return [os.path.join(path, name) for name in names]


def read_rules(layer: str, path: str, limit: int) -> RulesFile:
    """A rules file as it is now. One that cannot be read carries the reason."""
    try:
        data = b"" if path == os.devnull else read_regular(path, limit + 1)
    except (OSError, ValueError) as error:
        return RulesFile(layer, path, b"", unreadable(path, "file", error))
    real = os.path.realpath(path) if os.path.islink(path) else ""
    return RulesFile(layer, path, data, real=real)


def read_regular(path: str, limit: int) -> bytes:
    """The first `limit` bytes of a regular file. Raises `OSError` for all else.

    Nothing else is even opened: to open a pipe waits for a writer, and some devices act on it.
    """
    _must_be_regular(os.stat(path))
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
    descriptor = os.open(path, flags)
    try:
        _must_be_regular(os.fstat(descriptor))
        parts = []
        while limit > 0 and (part := os.read(descriptor, min(limit, 1 << 20))):
            parts.append(part)
            limit -= len(part)
    finally:
        os.close(descriptor)
    return parts[0] if len(parts) == 1 else b"".join(parts)


_NOUNS = (
    (stat.S_ISDIR, "directory"),
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
)


def _must_be_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        noun = next((n for test, n in _NOUNS if test(status.st_mode)), "device")
        raise OSError(f"it is a {noun}")


def unreadable(path: str, noun: str, error: OSError | ValueError) -> Diagnostic:
    """The problem of a file or directory that is there and cannot be read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    hint = "make it readable for you, or remove it" if os.path.lexists(path) else None
    return Diagnostic("read", f"cannot read the {noun}: {reason.lower()}", Span(path), hint)


def replace(
    path: str,
    data: bytes,
    mode: int,
    step: "Callable[[str], None] | None" = None,
    *,
    durable: bool = True,
) -> None:
    """Put `data` in the place of a file: written beside it, made durable, renamed over it.

    A reader sees the old or the new content, also after a loss of power. `step` is told of
    every stage, for tests that end the process there.
    """
    told = step or (lambda _stage: None)
    directory, name = os.path.split(path)
    temporary = os.path.join(directory, f".{name}.{os.getpid()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    discard(temporary)
    descriptor = os.open(temporary, flags, mode)
    try:
        told("created")
        _fill(descriptor, data, mode, told, durable=durable)
        os.rename(temporary, path)
        told("renamed")
    except BaseException:
        discard(temporary)
        raise
    finally:
        os.close(descriptor)
    if durable:
        _sync_directory(directory)
    told("done")


def _fill(
    descriptor: int, data: bytes, mode: int, told: "Callable[[str], None]", *, durable: bool
) -> None:
    """Write all of `data`, and wait for the disk where it is to be durable."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
        told("written")
    os.fchmod(descriptor, mode)
    if durable:
        os.fsync(descriptor)
    told("synced")


def discard(path: str) -> None:
    """Remove a file, where it is there and that can be."""
    try:
        os.unlink(path)
    except OSError:
        return


def _sync_directory(directory: str) -> None:
    """Make the rename itself durable."""
    descriptor = os.open(directory or ".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError:  # some file systems do not sync directories
        return
    finally:
        os.close(descriptor)


def user_rules() -> str:
    """The directory of the user's rules, made where it is missing."""
    folder = os.path.join(directories.config(), "rules")
    private_directory(directories.config())
    private_directory(folder)
    return folder


def private_directory(path: str) -> None:
    """Make a directory that only its owner may enter, and its parents as usual."""
    parent = os.path.dirname(path)
    if parent and not os.path.isdir(parent):
        os.makedirs(parent, exist_ok=True)
    if not os.path.isdir(path):
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:  # another process was faster
            return


def is_mine(file: "str | int") -> bool:
    """Whether a file, open or by its path, is this user's own and no other user can write to it.

    Where each user has a group of their own, as Debian's `adduser` makes it, files are often made
    with `umask 002`, so that this group may write to them: that is no other user. Where there is a
    list of others (acl(5)), the bits of the group tell what those may do. Raises `OSError`.
    """
    status = os.fstat(file) if isinstance(file, int) else os.stat(file)
    if status.st_uid != os.geteuid() or status.st_mode & stat.S_IWOTH:
        return False
    if not status.st_mode & stat.S_IWGRP:
        return True
    return _is_own_group(status.st_gid) and not (_LISTED and _ACL in _LISTED(file))


def _is_own_group(group: int) -> bool:
    """Whether a group has the user's name and no member but the user, as far as can be known."""
    import grp
    import pwd

    try:
        mine, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    members = {*found.gr_mem, *(user.pw_name for user in pwd.getpwall() if user.pw_gid == group)}
    return found.gr_name == mine.pw_name and members == {mine.pw_name}
