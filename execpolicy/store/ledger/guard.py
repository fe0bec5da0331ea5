"""Whether the ledger's file is to be believed: whose it is, who may write to it, whether it is the
file that was made here, and whether it was put back to an older state.

A file that the same user forged whole passes. What is guarded against is every file that got here
otherwise: a link, a copy from elsewhere, an old copy, a file of another user.
"""

import os
import stat

from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.store.sources.files import private_directory
from execpolicy.support import digest, directories

SIGNERS, ONLY_SIGNED = "/etc/execpolicy/signers", "/etc/execpolicy/only-signed"
"""The keys that may sign answers; the file with which no other answer is kept."""
WITNESS = "head"
_RECORD = 128
GENESIS = "0" * 64


class LedgerError(ExecPolicyError):
    """The ledger cannot be used. The message says why, and what to do."""


def check(file: str) -> os.stat_result:
    """Raise `LedgerError` unless the file and its directory are this user's alone.

    Raises `FileNotFoundError` where there is none.
    """
    folder = os.path.dirname(file)
    _own(os.lstat(folder), folder, stat.S_ISDIR, 0o077)
    status = os.lstat(file)
    _own(status, file, stat.S_ISREG, 0o077)
    if status.st_nlink != 1:
        raise LedgerError(f"`{printable(file)}` has a second name: delete both to begin anew")
    return status


def _own(status: os.stat_result, name: str, kind: "object", forbidden: int) -> None:
    shown = printable(name)
    if not kind(status.st_mode):  # type: ignore[operator]
        raise LedgerError(f"`{shown}` is a link or not what it should be: delete it to begin anew")
    if status.st_uid != os.geteuid():
        raise LedgerError(f"`{shown}` belongs to another user: delete it to begin anew")
    if stat.S_IMODE(status.st_mode) & forbidden:
        raise LedgerError(f"others may open `{shown}`: delete it to begin anew")


def identity(file: str, status: os.stat_result) -> str:
    """What tells this very file from every copy of it."""
    parts = (os.path.realpath(file), str(status.st_ino), str(status.st_uid))
    return digest.of_parts(part.encode("utf-8", "surrogateescape") for part in parts)


def create(file: str) -> None:
    """Make an empty file and its witness, if there is none. Raises `OSError`."""
    private_directory(directories.state())
    private_directory(os.path.dirname(file))
    if not os.path.lexists(_witness(file)) and not os.path.lexists(file):
        _create_witness(_witness(file))
    try:
        os.close(os.open(file, _NEW, 0o600))
    except FileExistsError:
        return


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def _create_witness(name: str) -> None:
    """Make the witness whole, or leave that of a process that was faster."""
    temporary = f"{name}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, _NEW, 0o600)
    try:
        os.write(descriptor, _record(0, GENESIS))
        os.link(temporary, name)
    except FileExistsError:
        return
    finally:
        os.close(descriptor)
        os.unlink(temporary)


def _witness(file: str) -> str:
    return os.path.join(os.path.dirname(file), WITNESS)


def witness(file: str, seq: int, head: str) -> None:
    """Note how far the ledger has come. One write of one short record, so it is old or new."""
    descriptor = os.open(_witness(file), os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        os.pwrite(descriptor, _record(seq, head), 0)
    finally:
        os.close(descriptor)


def _record(seq: int, head: str) -> bytes:
    return f"{seq} {head}".ljust(_RECORD - 1).encode() + b"\n"


def witnessed(file: str) -> tuple[int, str]:
    """How far the ledger had come at least. Raises `LedgerError` where that cannot be told."""
    name = _witness(file)
    try:
        _own(os.lstat(name), name, stat.S_ISREG, 0o077)
        descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            words = os.read(descriptor, _RECORD).decode("ascii", "replace").split()
        finally:
            os.close(descriptor)
    except OSError as error:
        raise LedgerError(f"`{printable(name)}` cannot be read: delete the ledger") from error
    if len(words) != 2 or not words[0].isdigit():
        raise LedgerError(f"`{printable(name)}` is damaged: delete the ledger to begin anew")
    return int(words[0]), words[1]
