"""The one way out of a sandbox: a listening socket in its network, served by a proxy outside.

The process that is to become bubblewrap enters the network of the run first, opens the socket there
and hands it back. Nothing of ours stays inside, and no path leads to a socket.
"""

import _socket  # what `socket` is made of, without the enumerations that take most of its start
import os
import sys

from execpolicy.sandbox.backends.serving import Serving, Way
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.support.resources import python

BACKLOG = 256
MAX_REACHED = 64
"""Ports of this machine that one run may reach beside its proxy."""
PORT = 3128
"""Where the network inside is new every port of it is free."""


def free_port(*, shared: bool) -> int:
    """A port for the proxy; in a network that is shared, one that other runs hardly ever have."""
    return 32768 + int.from_bytes(os.urandom(2), "little") % 28232 if shared else PORT


def with_variables(
    environment: "tuple[tuple[str, str], ...]", port: int
) -> "tuple[tuple[str, str], ...]":
    """The environment with the variables by which programs find the proxy."""
    from execpolicy.proxy.variables import variables

    given = {**dict(environment), **dict(variables(port, tunnel=tunnel_words()))}
    return tuple(sorted(given.items()))


def tunnel_words() -> tuple[str, ...]:
    """The command that joins its streams to the host and the port that follow."""
    return (*python(), "execpolicy", "proxy", "--tunnel")


def _listening(port: int) -> "_socket.socket":
    """A socket that listens on the loopback of the network that this process is in."""
    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


class Gate:
    """What the way out of one run goes through: made before the fork, used on both sides of it."""

    def __init__(self, way: "Way", port: int, reach: tuple[int, ...] = ()) -> None:
        self._way, self._port, self._reach = way, port, reach[:MAX_REACHED]
        self._serving: Serving | None = None
        self._outer, self._inner = _socket.socketpair()

    def hand_over(self) -> None:
        """Listen in the network that this process is in, and give that to the launcher (unix(7),
        SCM_RIGHTS).

        Raises `OSError`.
        """
        listeners = [_listening(self._port)]
        for port in self._reach:
            try:
                listeners.append(_listening(port))
            except OSError:  # another run of the session has it, or a server of one
                continue
        rights = b"".join(one.fileno().to_bytes(4, sys.byteorder) for one in listeners)
        self._inner.sendmsg([b"\n"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
        for one in listeners:
            one.close()

    def open(self, child: int) -> Serving:
        """Serve the socket that the child opened inside.

        Raises `NoSandboxError` where it could open none: then it has ended.
        """
        self._inner.close()
        room = _socket.CMSG_LEN(4 * (1 + MAX_REACHED))
        _, given, _, _ = self._outer.recvmsg(1, room, _socket.MSG_CMSG_CLOEXEC)
        if not given:
            os.waitpid(child, 0)
            raise NoSandboxError("the network of the sandbox cannot be entered")
        sent = given[0][2]
        proxy, *others = (
            int.from_bytes(sent[at : at + 4], sys.byteorder) for at in range(0, len(sent), 4)
        )
        self._serving = Serving(proxy, self._way, others)
        return self._serving

    def close(self) -> None:
        """End what is served."""
        if self._serving is not None:
            self._serving.close()
        self._outer.close()
        self._inner.close()
