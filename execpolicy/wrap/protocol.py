"""What a program shim and the supervisor say to each other, on a unix socket.

The shim begins with a head, with which it passes its descriptors (SCM_RIGHTS of unix(7)):

    4 bytes   MARK
    5 × 4     little endian: bytes of the texts, words, variables, umask, descriptors
    n × 4     the number that each descriptor is to have

and then the texts, each ended by a zero: the directory, the words after the first, the variables,
the path that was executed, which stands for the first word. It is answered with TAKEN at once,
later with EXIT and the code. Meanwhile it says SIGNAL and a number for each signal that it gets.
Who closes the connection has ended.
"""

import os
import socket
import struct
from time import monotonic

from execpolicy.support.record import Value

MARK = b"XPW2"
HEAD = struct.Struct("<4s5I")
CREDENTIALS, SENDER = struct.Struct("=3i"), 2
"""Of a message, and SCM_CREDENTIALS (unix(7)); a socket with SO_PASSCRED is given them."""
TAKEN, EXIT, SIGNAL = b"t", b"x", b"s"
MAX_TEXT = 4 << 20
"""Bytes of words and variables: twice what execve(2) takes by default."""
MAX_WORDS = 1 << 17
MAX_DESCRIPTORS = 64
"""Descriptors of a command, and the number below which each of them has to be."""
SECONDS = 10.0
"""How long a shim may take to say what it wants."""


class RequestRefusedError(Exception):
    """It is not a request; the message says why."""


class CommandRequest(Value):
    """What a shim was started as.

    `path` is what was executed, `descriptors` has for each number the descriptor of this process,
    `process` is who sent it, as the kernel says; who connected may be another one, which does that
    for the agent's sandbox. `limits` is how nice that is, and its limits where these are not those
    of this process.
    """

    path: str
    cwd: str
    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    umask: int
    descriptors: tuple[tuple[int, int], ...]
    process: int = 0
    limits: "tuple[int, list[tuple[int, int, int]]]" = (0, [])


def receive(connection: "socket.socket") -> CommandRequest:
    """Take a request. Raises `RequestRefusedError`, and `OSError` where the shim has gone."""
    until = monotonic() + SECONDS
    connection.settimeout(SECONDS)
    room = socket.CMSG_SPACE(4 * (MAX_DESCRIPTORS + 1)) + socket.CMSG_SPACE(CREDENTIALS.size)
    head, given, flags, _ = connection.recvmsg(HEAD.size, room, socket.MSG_CMSG_CLOEXEC)
    by_kind = {kind: data for level, kind, data in given if level == socket.SOL_SOCKET}
    rights = by_kind.get(socket.SCM_RIGHTS, b"")
    received = [number for (number,) in struct.iter_unpack("=i", rights)]
    process = CREDENTIALS.unpack(by_kind[SENDER])[0] if SENDER in by_kind else 0
    if flags & socket.MSG_CTRUNC:
        raise RequestRefusedError("too many descriptors")
    head += _exactly(connection, HEAD.size - len(head), until)
    mark, size, words, variables, umask, count = HEAD.unpack(head)
    if mark != MARK or size > MAX_TEXT or words + variables > MAX_WORDS:
        raise RequestRefusedError("it is too large, or of another version")
    if count != len(received) or count > MAX_DESCRIPTORS:
        raise RequestRefusedError("descriptors are missing")
    numbers = [n for (n,) in struct.iter_unpack("<I", _exactly(connection, 4 * count, until))]
    if len({*numbers}) != count or any(number >= MAX_DESCRIPTORS for number in numbers):
        raise RequestRefusedError("descriptors have numbers that are not served")
    texts = [os.fsdecode(one) for one in _exactly(connection, size, until).split(b"\0")]
    if len(texts) != 3 + words + variables or texts.pop():
        raise RequestRefusedError("its words are not whole")
    cwd, argv, rest, name = texts[0], texts[1 : 1 + words], texts[1 + words : -1], texts[-1]
    if cwd[:1] != "/" or not name:
        raise RequestRefusedError("its program has no path")
    path = os.path.join(cwd, name)
    pairs = (one.partition("=") for one in rest if "=" in one[1:])
    environment = tuple((name, value) for name, _, value in pairs)
    connection.settimeout(None)
    descriptors = tuple(zip(numbers, received, strict=True))
    line, mask = (path, *argv), umask & 0o777
    return CommandRequest(path, cwd, line, environment, mask, descriptors, process)


def _exactly(connection: "socket.socket", size: int, until: float) -> bytes:
    """So many bytes. Raises `RequestRefusedError` where there are fewer until this time."""
    parts = []
    while size > 0:
        left = until - monotonic()
        if left <= 0:
            raise RequestRefusedError("it takes too long")
        connection.settimeout(left)
        part = connection.recv(min(size, 1 << 16))
        if not part:
            raise RequestRefusedError("it is not whole")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
