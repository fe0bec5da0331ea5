"""What a hook asks a running server: one line to a unix socket, one answer back.

Whatever is odd about the server, there is no answer, and the hook decides itself. On the way of a
hook's start, so that nothing is imported that it has not imported already, but `_socket`.
"""

import _socket
import os
import stat

from execpolicy.hosts.payloads.protocol import Reply
from execpolicy.serve.inputs import gathered
from execpolicy.support import directories
from execpolicy.support.json_encode import encode
from execpolicy.support.version import PACKAGE

CONNECT_SECONDS = 0.05
SECONDS = 0.6
"""How long a server may take: a hook that decides itself has to be in time all the same."""
MAX_ANSWER = 1 << 20
_CREDENTIALS = 12
"""Bytes of a `struct ucred`: process, user, group (unix(7), SO_PEERCRED)."""
OK = "execpolicy"


def ask(host: str, payload: bytes) -> Reply | None:
    """The reply of a server to a payload of a host; None where there is none to be believed."""
    path = directories.hook_socket()
    try:
        if not _is_own(os.path.dirname(path), stat.S_ISDIR) or not _is_own(path, stat.S_ISSOCK):
            return None
        asked = {"hook": host, "client": gathered(), "payload": payload.decode()}
        return _answer(path, encode(asked).encode() + b"\n")
    except (OSError, ValueError, AttributeError):
        return None


def _is_own(path: str, kind: "object") -> bool:
    """Whether something of a kind belongs to this user alone."""
    status = os.lstat(path)
    mine = status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
    return bool(kind(status.st_mode)) and mine  # type: ignore[operator]


def _answer(path: str, line: bytes) -> Reply | None:
    """What the server says to a line. Raises `OSError`, `ValueError` for what is not an answer."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_SECONDS)
        connection.connect(path)
        peer = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _CREDENTIALS)
        if int.from_bytes(peer[4:8], "little") != os.geteuid():
            return None
        connection.settimeout(SECONDS)
        connection.sendall(line)
        data = b""
        while chunk := connection.recv(65536):
            data += chunk
            if len(data) > MAX_ANSWER:
                return None
    finally:
        connection.close()
    return read(data)


def read(data: bytes) -> Reply | None:
    """The reply in an answer: a line with the version, the exit code and two lengths, then what
    goes to stdout and to stderr. Raises `ValueError` for what is not an answer.

    >>> read(b"declined `cwd` was not sent\\n")
    """
    head, found, rest = data.partition(b"\n")
    words = head.decode().split(" ")
    if not found or words[:2] != [OK, PACKAGE] or len(words) != 5:
        return None
    code, out, err = map(int, words[2:])
    if len(rest) != out + err or min(code, out, err) < 0:
        return None
    return Reply(rest[:out].decode(), rest[out:].decode(), code)


def written(reply: Reply) -> bytes:
    """The answer that `read` reads."""
    out, err = reply.stdout.encode(), reply.stderr.encode("utf-8", "backslashreplace")
    return f"{OK} {PACKAGE} {reply.code} {len(out)} {len(err)}\n".encode() + out + err
