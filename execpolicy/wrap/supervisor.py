"""The supervisor of a session: it listens to program shims, and has workers for their commands.

It holds the policy, which it loads anew where its files change, and decides nothing itself: that is
done by copies of it. Where the supervisor ends the kernel ends these, and with the last of them all
that runs in the session's namespaces.
"""

import gc
import os
import select
import socket
from time import monotonic

from execpolicy.wrap.namespaces import die_with_parent
from execpolicy.wrap.protocol import SECONDS
from execpolicy.wrap.worker import Served, Worker, begin

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal

MAX_COMMANDS = 512
"""Commands at once, with those that left something running. Others wait to be taken."""
MAX_FREE = 4
"""Workers that wait for a command."""
MAX_WAITING = BACKLOG = 256
"""Connections on which nothing was said yet, of which the oldest is closed where there are more,
and those that wait to be accepted."""
DYING = 10.0
"""Seconds that the commands of a session may take to be gone, and to be looked after."""


def listening(path: str) -> "socket.socket":
    """The socket of a session, at a path that only this user may use."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    listener.bind(path)
    listener.listen(BACKLOG)
    return listener


def start(served: Served) -> "tuple[int, int]":
    """Start a supervisor: its process, and the descriptor that ends it when it is closed."""
    ends, hold = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(hold)
        try:
            die_with_parent()
            _Supervisor(served, ends).run()
        finally:
            os._exit(0)
    os.close(ends)
    return child, hold


class _Supervisor:
    def __init__(self, served: Served, ends: int) -> None:
        self._served, self._ends = served, ends
        self._listener = served.listener.fileno()
        self._poller = select.poll()
        self._workers: dict[int, Worker] = {}
        self._links: dict[int, Worker] = {}
        self._free: list[Worker] = []
        self._waiting: dict[int, tuple[socket.socket, float]] = {}

    def run(self) -> None:
        """Serve until the session ends, or a worker does not end by itself."""
        os.setsid()
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        for number in (1, 15):  # it ends with the agent, whose end is the user's
            _signal.signal(number, _signal.SIG_DFL)
        self._served.commands.warm()
        gc.disable()
        gc.freeze()  # the pages of what is there stay common to all workers
        self._poller.register(self._ends, select.POLLIN)
        whole = True
        while whole:
            self._poller.register(self._listener, 0 if self._is_full() else select.POLLIN)
            ready = {fd for fd, _ in self._poller.poll(self._patience())}
            if self._ends in ready:
                break
            for fd in ready & self._links.keys():
                self._freed(self._links[fd])
            whole = self._reaped(ready & self._workers.keys())
            for fd in ready & self._waiting.keys():
                if self._is_full():
                    break
                self._serve(self._forgotten(fd))
            if self._listener in ready:
                self._accept()
            self._forget_silent()
        self._finish()

    def _is_full(self) -> bool:
        return len(self._workers) - len(self._free) >= MAX_COMMANDS

    def _patience(self) -> float | None:
        """Milliseconds until the first connection has said nothing for too long."""
        if not self._waiting:
            return None
        until = next(iter(self._waiting.values()))[1]
        return max(0.0, until - monotonic()) * 1000 + 1

    def _accept(self) -> None:
        """Take a connection; who has said nothing yet gets no process."""
        try:
            connection, _ = self._served.listener.accept()
        except OSError:
            return
        if not _is_ours(connection):
            connection.close()
        elif _is_readable(connection):
            self._serve(connection)
        else:
            if len(self._waiting) >= MAX_WAITING:
                self._forgotten(next(iter(self._waiting))).close()
            self._waiting[connection.fileno()] = connection, monotonic() + SECONDS
            self._poller.register(connection, select.POLLIN)

    def _forgotten(self, fd: int) -> socket.socket:
        self._poller.unregister(fd)
        return self._waiting.pop(fd)[0]

    def _forget_silent(self) -> None:
        for fd, (_, until) in [*self._waiting.items()]:
            if until > monotonic():
                return
            self._forgotten(fd).close()

    def _serve(self, connection: socket.socket) -> None:
        """Have a worker serve a connection: one that is free, or another."""
        with connection:
            if _is_over(connection):
                return
            while self._free:
                if self._free.pop().take(connection):
                    return
            self._served.renew()
            waiting = (one for one, _ in self._waiting.values())
            worker = begin(self._served, (*self._workers.values(), *waiting), connection)
        self._workers[worker.process] = self._links[worker.link.fileno()] = worker
        self._poller.register(worker.process, select.POLLIN)
        self._poller.register(worker.link, select.POLLIN)

    def _freed(self, worker: Worker) -> None:
        """Keep a worker for the next command, if it says that it is free and there are few."""
        if worker.is_free() and len(self._free) < MAX_FREE:
            self._free.append(worker)
            return
        self._poller.unregister(worker.link)
        del self._links[worker.link.fileno()]
        worker.link.close()

    def _reaped(self, ended: "set[int]") -> bool:
        """Forget workers that have ended; whether each of them did so by itself."""
        whole = True
        for process in ended:
            worker = self._workers.pop(process)
            self._poller.unregister(process)
            if self._links.pop(worker.link.fileno(), None):
                self._poller.unregister(worker.link)
            if worker in self._free:
                self._free.remove(worker)
            worker.close()
            whole &= os.WIFEXITED(os.waitpid(worker.child, 0)[1])
        return whole

    def _finish(self) -> None:
        """End all that runs, and wait for those that look after what it left."""
        self._served.listener.close()
        self._served.namespaces.end()
        for worker in self._workers.values():
            worker.link.close()
        until = monotonic() + DYING
        poller = select.poll()
        for process in self._workers:
            poller.register(process, select.POLLIN)
        while self._workers and monotonic() < until:
            for process, _ in poller.poll(200):
                poller.unregister(process)
                os.waitpid(self._workers.pop(process).child, 0)


def _is_readable(connection: socket.socket) -> bool:
    poller = select.poll()
    poller.register(connection, select.POLLIN)
    return bool(poller.poll(0))


def _is_over(connection: socket.socket) -> bool:
    """Whether a connection that is readable was closed, and nothing was said on it."""
    try:
        return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except OSError:
        return True


def _is_ours(connection: "socket.socket") -> bool:
    """Whether who connects has this user's number (SO_PEERCRED of unix(7))."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(credentials[4:8], "little") == os.geteuid()
