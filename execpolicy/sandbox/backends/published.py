"""Ports of the network inside that are reached from this machine's loopback (`listen`), and the
other way round (`reach`).

A child of the launcher enters the network, accepts on sockets that were opened outside, and joins
each connection to one that it makes inside. Nothing inside sees it, and it ends with the launcher.
"""

import fcntl
import os
import sys

from execpolicy.sandbox.backends.start.prepared import close_others
from execpolicy.sandbox.kernel import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from socket import socket
else:
    import _signal

NS_GET_USERNS = 0xB701
"""ioctl_ns(2): the user namespace that owns a network."""
PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""
BACKLOG, CHUNK = 64, 1 << 16


class Published:
    """The ports of one network, open until it is closed. `enter` has a process be in it.

    A port that is taken already is told on stderr and left out.
    """

    def __init__(self, ports: tuple[int, ...], enter: "Callable[[], object]") -> None:
        listeners = {port: one for port in ports if (one := _listening(port)) is not None}
        self._child = os.fork() if listeners else 0
        if listeners and not self._child:
            _serve(listeners, enter, os.getppid())
        for listener in listeners.values():
            listener.close()

    @property
    def process(self) -> int:
        """What serves them, in their network; 0 where no port is open."""
        return self._child

    def close(self) -> None:
        """Close the ports and every connection."""
        if self._child:
            os.kill(self._child, _signal.SIGKILL)
            os.waitpid(self._child, 0)
            self._child = 0


class Forwarded:
    """A port of this machine's loopback, for what connects to a socket that listens inside."""

    def __init__(self, listener: int) -> None:
        import socket
        from threading import Thread

        self._listener = socket.socket(fileno=listener)
        port = self._listener.getsockname()[1]
        Thread(target=_forward, args=(port, self._listener), daemon=True).start()

    def close(self) -> None:
        """Take no more connections; those that stand end with what is inside."""
        from contextlib import suppress
        from socket import SHUT_RDWR

        with suppress(OSError):
            self._listener.shutdown(SHUT_RDWR)  # wakes the thread, which close(2) alone does not
        self._listener.close()


def _forward(port: int, listener: "socket") -> None:
    try:
        _accept(port, listener)
    except OSError:
        return


def _listening(port: int) -> "socket | None":
    from socket import create_server

    try:
        return create_server(("127.0.0.1", port), backlog=BACKLOG)
    except OSError as error:
        print(f"execpolicy: port {port} is not published: {error.strerror}", file=sys.stderr)
        return None


def enter(process: int) -> None:
    """Be in the network of another process."""
    join(network_of(process))


def network_of(process: int) -> int:
    """A descriptor of the network of a process, which lasts longer than that. Raises `OSError`."""
    return os.open(f"/proc/{process}/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def join(network: int) -> None:
    """Be in a network, and in the user namespace that owns it."""
    for space in (fcntl.ioctl(network, NS_GET_USERNS), network):
        call("setns", space, 0)


def _serve(listeners: "dict[int, socket]", enter: "Callable[[], object]", launcher: int) -> None:
    """Enter and serve. Never returns."""
    from threading import Thread

    try:
        enter()
        call("prctl", PARENT_DEATH_SIGNAL, _signal.SIGKILL, 0, 0, 0)
        close_others(
            one.fileno() for one in listeners.values()
        )  # a copy would outlive the launcher
        if os.getppid() == launcher:
            threads = [Thread(target=_accept, args=one) for one in listeners.items()]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        os._exit(0)


def _accept(port: int, listener: "socket") -> None:
    from threading import Thread

    while True:
        outside, _ = listener.accept()
        Thread(target=_join, args=(outside, port), daemon=True).start()


def _join(outside: "socket", port: int) -> None:
    """Carry between a connection from outside and one that is made inside for it."""
    from socket import create_connection
    from threading import Thread

    with outside:
        inside = None
        for address in ("127.0.0.1", "::1"):
            try:
                inside = create_connection((address, port))
                break
            except OSError:
                continue
        if inside is None:
            return
        with inside:
            back = Thread(target=_carry, args=(inside, outside))
            back.start()
            _carry(outside, inside)
            back.join()


def _carry(source: "socket", target: "socket") -> None:
    from socket import SHUT_WR

    try:
        while data := source.recv(CHUNK):
            target.sendall(data)
        target.shutdown(SHUT_WR)
    except OSError:
        return
