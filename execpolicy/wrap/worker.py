"""A process that decides about the commands of a session and runs them, one after the other.

It is a copy of the supervisor, and stays for the commands that come later: a copy for each would
cost more than all that is done in it. Nothing of a command stays: its descriptors are closed, its
variables forgotten, and after so many commands another process takes its place.
"""

import gc
import os
import socket
import sys
from fcntl import F_DUPFD_CLOEXEC, fcntl

from execpolicy.sandbox.backends import limits
from execpolicy.sandbox.backends.inotify import Inotify
from execpolicy.support.record import Value
from execpolicy.wrap.command_sandbox import Ends
from execpolicy.wrap.namespaces import Namespaces, die_with_parent
from execpolicy.wrap.protocol import (
    EXIT,
    MAX_DESCRIPTORS,
    SIGNAL,
    TAKEN,
    CommandRequest,
    RequestRefusedError,
    receive,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable, Collection
    from typing import Protocol

    class SessionCommands(Protocol):
        """What decides about the commands of a session, and runs them."""

        def warm(self) -> None:
            """Do once what each command would do again."""

        def execute(self, request: CommandRequest, ends: Ends) -> int:
            """Decide about a request and run it in this process, which is there for it alone while
            it runs; its exit code."""

else:
    import _signal

MAX_SERVED = 256
"""Commands of one process, which then ends: what a library keeps of each does not add up."""
MAX_WATCHING = 24
"""Workers and their connections at once, from which on a new worker looks in turns where others
have the kernel tell them (inotify(7)): a user has 128 instances."""
FREE = b"."
_BYTE = b"."
"""A message that hands descriptors over needs a byte."""
REFUSED = 125
"""The exit code where a command could not be run, as env(1) and timeout(1) have it."""
_PASSED_ON = frozenset(
    (
        *(_signal.SIGHUP, _signal.SIGINT, _signal.SIGQUIT, _signal.SIGTERM),
        *(_signal.SIGCONT, _signal.SIGTSTP, _signal.SIGWINCH),
    )
)
"""Signals of a terminal and of its jobs. Those that mean what a program makes of them do not cross:
SIGUSR1 opens the debugger of Node.js."""


class Served(Value):
    """What a supervisor serves; `renew` loads the policy again where a file of it changed."""

    listener: socket.socket
    namespaces: Namespaces
    commands: "SessionCommands"
    renew: "Callable[[], object]"


class Worker:
    """A worker as the supervisor has it. `link` says when it is free, and gives it connections."""

    __slots__ = ("child", "link", "process")

    def __init__(self, child: int, link: socket.socket) -> None:
        self.child, self.link = child, link
        self.process = os.pidfd_open(child)

    def take(self, connection: socket.socket) -> bool:
        """Give it a connection; False where it has ended."""
        try:
            socket.send_fds(self.link, [_BYTE], [connection.fileno()])
        except OSError:
            return False
        return True

    def is_free(self) -> bool:
        """Whether it has said since the last time that it waits for the next."""
        try:
            return self.link.recv(1, socket.MSG_DONTWAIT) == FREE
        except OSError:
            return False

    def close(self) -> None:
        """Have it end, once it has nothing more to do."""
        self.link.close()
        os.close(self.process)


def begin(
    served: Served, others: "Collection[Worker | socket.socket]", connection: socket.socket
) -> Worker:
    """Start a worker with its first connection. It does not hold what is of `others`."""
    outer, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    child = os.fork()
    if child == 0:
        _work(served, inner, connection, (outer, *others))
    inner.close()
    return Worker(child, outer)


def _work(
    served: Served,
    link: socket.socket,
    connection: socket.socket,
    others: "Collection[Worker | socket.socket]",
) -> None:
    """Serve connections until the supervisor wants no more; never returns."""
    try:
        Inotify.refused = len(others) > MAX_WATCHING
        for one in others:
            one.close()
        gc.enable()  # a command may last
        die_with_parent()
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # a command would inherit the other
        served.listener.close()
        served.namespaces.release()
        standard = [fcntl(number, F_DUPFD_CLOEXEC, MAX_DESCRIPTORS) for number in range(3)]
        # Numbers below MAX_DESCRIPTORS are a command's. Between commands this file has them all, so
        # that whatever is opened or received lies above them.
        reserved = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        errors = sys.stderr
        whole = _serve(served, connection)
        for _ in range(MAX_SERVED - 1):
            if not whole:  # what came with the request is gone with this process
                break
            connection.close()
            for number in range(MAX_DESCRIPTORS):
                os.dup2(standard[number] if number < 3 else reserved, number, number < 3)
            if sys.stderr is not errors:  # what an earlier command wrote to was closed
                break
            link.send(FREE)
            given = link.recvmsg(1, socket.CMSG_LEN(4), socket.MSG_CMSG_CLOEXEC)[1]
            if not given:
                break
            connection = socket.socket(fileno=int.from_bytes(given[0][2], sys.byteorder))
            served.renew()
            whole = _serve(served, connection)
    finally:
        os._exit(0)


def _serve(served: Served, connection: socket.socket) -> bool:
    """Serve one shim; False where its request was not valid, or deciding about it failed."""
    code, shim = REFUSED, _Shim(connection)
    try:
        request = receive(connection)
        shim.taken()
        request = _take_on(request.replace(limits=limits.of_process(request.process)))
        ends = Ends(connection.fileno(), shim.signals, shim.end)
        code = served.commands.execute(request, ends)
        return True
    except (RequestRefusedError, OSError) as error:
        os.write(2, f"execpolicy: the command could not be taken: {error}\n".encode())
        return False
    except Exception as error:  # a mistake of the engine's own: the command is refused
        os.write(2, f"execpolicy: could not decide: {type(error).__name__}: {error}\n".encode())
        return False
    finally:
        shim.end(code)


class _Shim:
    """The supervisor's end of a connection, in the process of the command."""

    def __init__(self, connection: "socket.socket") -> None:
        self._connection = connection
        self.is_answered = False

    def signals(self) -> bytes | None:
        """The signals that came since; None where the shim has gone."""
        try:
            data = self._connection.recv(64, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return b""
        except OSError:
            return None
        if not data:
            return None
        pairs = zip(data[::2], data[1::2], strict=False)
        return bytes(n for kind, n in pairs if kind == SIGNAL[0] and n in _PASSED_ON)

    def end(self, code: int) -> None:
        """Tell the shim how it ends, once."""
        if not self.is_answered:
            self.is_answered = True
            self._say(EXIT + bytes((code & 0xFF,)))
            self._connection.close()

    def taken(self) -> None:
        """Tell the shim that its request was taken."""
        self._say(TAKEN)

    def _say(self, data: bytes) -> None:
        try:
            self._connection.send(data, socket.MSG_NOSIGNAL)
        except OSError:
            return


def _take_on(request: CommandRequest) -> CommandRequest:
    """Have the descriptors of a command in this process by the numbers that they have for it: what
    it is decided by looks at them, and what is said goes to its standard error."""
    given = dict(request.descriptors)
    for number in range(MAX_DESCRIPTORS):
        if number in given:
            os.dup2(given[number], number, inheritable=False)
            os.close(given[number])
        elif number > 2:
            _close(number)
        else:
            _give_nothing(number)
    return request.replace(descriptors=tuple((number, number) for number in given))


def _close(number: int) -> None:
    try:
        os.close(number)
    except OSError:
        return


def _give_nothing(number: int) -> None:
    opened = os.open(os.devnull, (os.O_WRONLY if number else os.O_RDONLY) | os.O_CLOEXEC)
    os.dup2(opened, number)
    os.close(opened)
