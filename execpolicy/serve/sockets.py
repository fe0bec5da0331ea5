"""The sockets of a server: who may open them, and whether another server has them."""

import os
import secrets
import socket
import stat
from pathlib import Path

from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.store.sources.files import private_directory
from execpolicy.support import directories
from execpolicy.support.record import Value
from execpolicy.support.resources import compiled
from execpolicy.support.version import PACKAGE

MAX_PATH = 100
"""Bytes of a socket's path (unix(7): 108 with its end)."""
BACKLOG = 256
LOOPBACK = "127.0.0.1"


def folder() -> str:
    """The directory of the sockets and of the token."""
    return os.path.dirname(directories.hook_socket())


def http_socket() -> str:
    """The socket on which a server speaks HTTP."""
    return f"{folder()}/http.sock"


def loopback_file() -> str:
    """What hooks in bash know of the server, while it runs."""
    return f"{folder()}/loopback"


def token_file() -> str:
    """The file with the token for loopback, which is there while a server runs."""
    return f"{folder()}/token"


def prepare() -> None:
    """Make the directory, for this user alone. Raises `ExecPolicyError` where it is not."""
    try:
        private_directory(directories.state())
        private_directory(folder())
        status = os.lstat(folder())
    except OSError as error:
        raise ExecPolicyError(f"cannot make `{printable(folder())}`: {error.strerror}") from None
    if not stat.S_ISDIR(status.st_mode) or not _is_private(status):
        raise ExecPolicyError(f"others may open `{printable(folder())}`: delete it to begin anew")


def _is_private(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077


def listen_at(path: str) -> socket.socket:
    """A socket at a path, for this user alone; one that a server left is removed.

    Raises `ExecPolicyError` where another server answers there, or the path is too long.
    """
    if len(os.fsencode(path)) > MAX_PATH:
        raise ExecPolicyError(f"the path of a socket is too long: `{printable(path)}`")
    if os.path.lexists(path):
        if _answers(path):
            raise ExecPolicyError("another `execpolicy serve` runs already")
        os.unlink(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        made.bind(path)
    finally:
        os.umask(before)
    made.listen(BACKLOG)
    return made


def _answers(path: str) -> bool:
    if not stat.S_ISSOCK(os.lstat(path).st_mode):
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tried:
        tried.settimeout(1.0)
        try:
            tried.connect(path)
        except OSError:
            return False
    return True


def listen_on(port: int) -> socket.socket:
    """A socket on loopback; port 0 is one that is free. Raises `ExecPolicyError`."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((LOOPBACK, port))
    except OSError as error:
        made.close()
        raise ExecPolicyError(f"cannot listen on port {port}: {error.strerror}") from None
    made.listen(BACKLOG)
    return made


def new_token() -> str:
    """A token, written where only this user reads it."""
    token = secrets.token_urlsafe(32)
    _write(token_file(), token)
    return token


def _write(path: str, text: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    remove(path)
    descriptor = os.open(path, flags, 0o600)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


class Loopback(Value):
    """A socket on loopback for hooks in bash, and what is in the file beside it: the token that a
    hook sends before its line, and the word before the answer, by which it knows this server."""

    listener: "socket.socket"
    token: str
    word: str


def is_private() -> bool:
    """Whether the file for loopback is this user's alone still, which bash cannot tell."""
    return all(_is_private(os.lstat(path)) for path in (folder(), loopback_file()))


def for_hooks() -> Loopback:
    """Listen for hooks in bash, and write what they know of this server. A hook that sees no
    process of this number and start (proc_pid_stat(5)) asks none."""
    made = Loopback(listen_on(0), secrets.token_urlsafe(32), secrets.token_urlsafe(16))
    began = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    port = made.listener.getsockname()[1]
    words = PACKAGE, port, os.getpid(), began, made.token, made.word
    _write(loopback_file(), " ".join(map(str, words)) + "\n")
    return made


def is_script() -> bool:
    """Whether hooks ask by bash, as no compiler built what asks by a unix socket."""
    try:
        with open(compiled("hook"), "rb") as file:
            return file.read(11) == b"#!/bin/bash"
    except OSError:
        return False


def remove(path: str) -> None:
    """Take a file away, if it is there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def peer(connection: "socket.socket") -> int:
    """The process at the other end of a unix socket (unix(7), SO_PEERCRED).

    Raises `PermissionError` for one of another user.
    """
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    process, user = (int.from_bytes(data[at : at + 4], "little") for at in (0, 4))
    if user != os.geteuid():
        raise PermissionError("the peer is another user")
    return process
