"""The one way out of a sandbox: a listening socket in its network, served by a proxy outside.

bubblewrap waits with its namespaces made; a short-lived process enters them, opens the socket and
hands it back; then bubblewrap goes on. Nothing of ours stays inside, and no path leads to a socket.
"""

import ctypes
import errno
import fcntl
import os
import signal
import socket
import sys
import time
from contextlib import contextmanager

from execpolicy.model.decision import Decision
from execpolicy.sandbox.errors import NoSandboxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.policy.network_hosts import Attempt, Ruling
    from execpolicy.policy.policy import Policy
    from execpolicy.proxy.events import Event
    from execpolicy.proxy.server import Background
    from execpolicy.sandbox.plan import Plan
    from execpolicy.store.snapshot import Snapshot

LOOPBACK_TRIES, LOOPBACK_PAUSE = 5000, 0.001
"""bubblewrap tells the number of its child before that has brought the loopback device up."""
NS_GET_USERNS = 0xB701
"""ioctl_ns(2): the user namespace that owns a network; its process may be in a nested one."""
PORT = 3128
"""The network inside is new, so every port of it is free."""


def wanted(policy: "Policy") -> bool:
    """Whether rules let anything through at all."""
    return any(rule.decision is not Decision.FORBIDDEN for rule in policy.network)


def with_variables(plan: "Plan") -> "Plan":
    """The plan with the variables by which programs find the proxy."""
    from execpolicy.proxy.variables import variables

    tunnel = (sys.executable, "-m", "execpolicy", "proxy", "--tunnel")
    given = {**dict(plan.environment), **dict(variables(PORT, tunnel=tunnel))}
    return plan.replace(environment=tuple(sorted(given.items())))


def serving(listener: socket.socket, snapshot: "Snapshot") -> "Background":
    """The proxy for a run, by the rules that the command was decided by."""
    from execpolicy.engine.audit import record_connection
    from execpolicy.policy.network_hosts import decide
    from execpolicy.proxy.events import entry
    from execpolicy.proxy.server import Background, Proxy

    def ruling(attempt: "Attempt") -> "Ruling":
        return decide(snapshot.policy, attempt)

    def log(event: "Event") -> None:
        record_connection(entry(event))

    return Background(listener, lambda: Proxy(ruling, None, log))


class Gate:
    """What bubblewrap waits at. `inner` are the descriptors of its side: to wait, and to tell."""

    def __init__(self, snapshot: "Snapshot") -> None:
        self._snapshot = snapshot
        self._wait, self._go = os.pipe()
        self._told, self._tell = os.pipe()

    @property
    def inner(self) -> tuple[int, int]:
        """Where bubblewrap reads when to go on, and where it writes its child's number."""
        return self._wait, self._tell

    @contextmanager
    def open(self, bubblewrap: int) -> "Iterator[None]":
        """Serve a socket inside as long as the block runs.

        Raises `NoSandboxError` where no socket can be opened there: then bubblewrap is ended
        before it starts anything.
        """
        os.close(self._wait)
        os.close(self._tell)
        try:
            process = self._child()
            if not process:  # bubblewrap has ended, and said why
                yield
                return
            try:
                listener = listening_in(process, PORT)
            except NoSandboxError:
                for one in (process, bubblewrap):
                    os.kill(one, signal.SIGKILL)
                os.waitpid(bubblewrap, 0)
                raise
            with serving(listener, self._snapshot):
                os.write(self._go, b"\n")
                yield
        finally:
            os.close(self._go)
            os.close(self._told)

    def _child(self) -> int:
        text = b""
        while b"}" not in text:
            data = os.read(self._told, 4096)
            if not data:
                return 0
            text += data
        _, _, rest = text.partition(b'"child-pid":')
        digits = rest.strip(b" \n\t").partition(b"\n")[0].partition(b",")[0].strip(b" }")
        return int(digits) if digits.isdigit() else 0


def listening_in(process: int, port: int) -> socket.socket:
    """A socket that listens on loopback in the network of a process, by a child that enters it.

    Only a process with one thread may enter a user namespace: call it before any is started.
    Raises `NoSandboxError`.
    """
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        _open_inside(process, port, theirs)
    theirs.close()
    with ours:
        _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
    os.waitpid(child, 0)
    if not descriptors:
        raise NoSandboxError("the network of the sandbox cannot be entered")
    return socket.socket(fileno=descriptors[0])


def _open_inside(process: int, port: int, outer: socket.socket) -> None:
    """Enter, listen, hand over. Never returns."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        network = os.open(f"/proc/{process}/ns/net", os.O_RDONLY)
        for space in (fcntl.ioctl(network, NS_GET_USERNS), network):
            if libc.setns(space, 0):
                os._exit(1)
        with _listening(port) as listener:
            socket.send_fds(outer, [b"\n"], [listener.fileno()])
    finally:
        os._exit(0)


def _listening(port: int) -> socket.socket:
    """A listening socket, once there is a loopback device. Raises `OSError`."""
    for _ in range(LOOPBACK_TRIES):
        try:
            return socket.create_server(("127.0.0.1", port), backlog=256)
        except OSError as error:
            if error.errno != errno.EADDRNOTAVAIL:
                raise
            time.sleep(LOOPBACK_PAUSE)
    raise OSError(errno.EADDRNOTAVAIL, "there is no loopback device")
