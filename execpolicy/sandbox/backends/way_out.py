"""The one way out of a sandbox: a listening socket in its network, served by a proxy outside.

bubblewrap waits with its namespaces made; a short-lived process enters them, opens the socket and
hands it back; then bubblewrap goes on. Nothing of ours stays inside, and no path leads to a socket.
"""

import errno
import fcntl
import os
import sys
import time

from execpolicy.sandbox.backends.serving import Serving
from execpolicy.sandbox.errors import NoSandboxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    import socket as _socket

    from execpolicy.sandbox.backends.serving import Way
    from execpolicy.sandbox.plan import Plan
else:  # what these modules are made of, without the enumerations that take most of their start
    import _signal
    import _socket

LOOPBACK_TRIES, LOOPBACK_PAUSE = 5000, 0.001
"""bubblewrap tells the number of its child before that has brought the loopback device up."""
NS_GET_USERNS = 0xB701
"""ioctl_ns(2): the user namespace that owns a network; its process may be in a nested one."""
BACKLOG = 256
PORT = 3128
"""The network inside is new, so every port of it is free."""


def with_variables(plan: "Plan") -> "Plan":
    """The plan with the variables by which programs find the proxy."""
    from execpolicy.proxy.variables import variables

    tunnel = (sys.executable, "-m", "execpolicy", "proxy", "--tunnel")
    given = {**dict(plan.environment), **dict(variables(PORT, tunnel=tunnel))}
    return plan.replace(environment=tuple(sorted(given.items())))


class Gate:
    """What bubblewrap waits at. `inner` are the descriptors of its side: to wait, and to tell."""

    def __init__(self, way: "Way") -> None:
        self._way = way
        self._serving: Serving | None = None
        self._wait, self._go = os.pipe()
        self._told, self._tell = os.pipe()

    @property
    def inner(self) -> tuple[int, int]:
        """Where bubblewrap reads when to go on, and where it writes its child's number."""
        return self._wait, self._tell

    def open(self, bubblewrap: int) -> Serving | None:
        """Serve a socket inside, which has to be watched; None where bubblewrap has ended already.

        Raises `NoSandboxError` where no socket can be opened there: then bubblewrap is ended
        before it starts anything.
        """
        os.close(self._wait)
        os.close(self._tell)
        process = self._child()
        if not process:
            return None
        try:
            listener = listening_in(process, PORT)
        except NoSandboxError:
            for one in (process, bubblewrap):
                os.kill(one, _signal.SIGKILL)
            os.waitpid(bubblewrap, 0)
            raise
        self._serving = Serving(listener, self._way)
        os.write(self._go, b"\n")
        return self._serving

    def close(self) -> None:
        """End what is served."""
        if self._serving is not None:
            self._serving.close()
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


def listening_in(process: int, port: int) -> int:
    """A socket that listens on loopback in the network of a process, by a child that enters it.

    Only a process with one thread may enter a user namespace: call it before any is started.
    Raises `NoSandboxError`.
    """
    ours, theirs = _socket.socketpair()
    child = os.fork()
    if child == 0:
        _open_inside(process, port, theirs)
    theirs.close()
    _, given, _, _ = ours.recvmsg(1, _socket.CMSG_LEN(4), _socket.MSG_CMSG_CLOEXEC)
    ours.close()
    os.waitpid(child, 0)
    if not given:
        raise NoSandboxError("the network of the sandbox cannot be entered")
    return int.from_bytes(given[0][2][:4], sys.byteorder)


def _open_inside(process: int, port: int, outer: "_socket.socket") -> None:
    """Enter, listen, hand over (unix(7), SCM_RIGHTS). Never returns."""
    try:
        network = os.open(f"/proc/{process}/ns/net", os.O_RDONLY)
        for space in (fcntl.ioctl(network, NS_GET_USERNS), network):
            _enter(space)
        listener = _listening(port)
        rights = listener.fileno().to_bytes(4, sys.byteorder)
        outer.sendmsg([b"\n"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
    finally:
        os._exit(0)


def _enter(space: int) -> None:
    """Enter a namespace (setns(2)). Raises `OSError`. Python 3.12 has it as `os.setns`."""
    import _ctypes  # `ctypes` itself would take a third of the start

    libc = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
    setns = _ctypes.dlsym(libc, "setns")
    if _ctypes.call_function(setns, (space, 0)):
        raise OSError(errno.EPERM, "the namespace cannot be entered")


def _listening(port: int) -> "_socket.socket":
    """A listening socket, once there is a loopback device. Raises `OSError`."""
    for _ in range(LOOPBACK_TRIES):
        listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRNOTAVAIL:
                raise
            time.sleep(LOOPBACK_PAUSE)
        else:
            listener.listen(BACKLOG)
            return listener
    raise OSError(errno.EADDRNOTAVAIL, "there is no loopback device")
