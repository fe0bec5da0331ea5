"""Sockets as standard streams of a run.

A socket belongs to the network that it was made in, wherever it is held: with one of the caller's a
program inside could leave the network of the run, as connect(2) and sendto(2) name another peer.
Such a socket is replaced by a pipe, as a file is. Of a socket for both directions the input is one
pipe and the output another; what the command has not read at its end is lost.

A connected unix socket of type stream is handed on as it is: shells, sshd and Node.js start
programs with pairs of them. It has one peer for good: connect(2) and sendto(2) fail with EISCONN,
listen(2) with EINVAL (unix(7)). Through it a program may shut the connection down, see the numbers
of its peer's process and user, and exchange descriptors with the peer alone, which is the caller or
a server that the caller chose. The names and addresses of the network devices outside can be read
by it (SIOCGIFCONF in netdevice(7)), not changed.
"""

import _socket
from _collections_abc import Callable

from execpolicy.sandbox.backends.streams.pump import CHUNK, Pump


def is_pair(fd: int) -> bool:
    """Whether a socket is a connected unix socket of type stream, which may be handed on."""
    pair = _socket.AF_UNIX, _socket.SOCK_STREAM
    return _asked(fd, _family_and_type) == pair and is_connected(fd)


def is_nameless(fd: int) -> bool:
    """Whether neither end of a connection has a name, as both of a pair (socketpair(2)): a program
    that listens has one, and what it serves must not be reached by a descriptor handed on."""
    names = _asked(fd, lambda end: (end.getsockname(), end.getpeername()))
    return names is not None and not any(names)


def is_connected(fd: int) -> bool:
    """Whether a socket has a peer. One that has none, or listens, can be neither read nor written
    as a stream."""
    return _asked(fd, lambda end: (end.getpeername(),)) is not None


def _family_and_type(end: _socket.socket) -> tuple[object, ...]:
    level = _socket.SOL_SOCKET
    return end.getsockopt(level, _socket.SO_DOMAIN), end.getsockopt(level, _socket.SO_TYPE)


def _asked(
    fd: int, question: "Callable[[_socket.socket], tuple[object, ...]]"
) -> tuple[object, ...] | None:
    """What a socket answers; None for an error."""
    try:
        end = _of(fd)
        try:
            return question(end)
        finally:
            end.detach()
    except OSError:
        return None


def _of(fd: int) -> _socket.socket:
    """The socket of a descriptor, to be detached. What it is called is left to the kernel."""
    return _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, fd)


class FromSocket(Pump):
    """Carries what comes from a socket. Whether that waits is left as the caller has set it."""

    def taken(self) -> bytes:
        """What the socket has now. Raises `OSError`."""
        end = _of(self.source)
        try:
            return end.recv(CHUNK, _socket.MSG_DONTWAIT)
        finally:
            end.detach()

    def give_back(self, pipe: int) -> None:
        """Nothing can be put back into a socket."""


class ToSocket(Pump):
    """Carries what goes to a socket. A peer that is gone is told to the command as for a pipe."""

    keeps = False

    def given(self) -> int:
        """Give the socket what it takes now; how many bytes. Raises `OSError`."""
        end = _of(self.target)
        try:
            return end.send(self.buffer, _socket.MSG_DONTWAIT | _socket.MSG_NOSIGNAL)
        finally:
            end.detach()
