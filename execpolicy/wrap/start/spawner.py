"""A small process that starts commands where there is no static launcher (`launch.c`).

A copy of a worker has the pages of all that decides, and takes longer than all else that a command
costs. This one has nothing but what a launch needs. What it starts is a child of the worker.
"""

import _socket
import marshal
import os
import sys
from array import array
from fcntl import F_DUPFD_CLOEXEC, fcntl

from execpolicy.sandbox import kernel
from execpolicy.wrap.start.calls import Calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.wrap.start.calls import Row

    Launched = tuple[tuple[list[Row], ...], str, list[str], dict[str, str], tuple[int, ...]]
    """Three groups of calls: those that enter the session, those that put up its walls, and
    `after`, by which bubblewrap has its descriptors, limits and a session of its own. Then
    bubblewrap's path, words and variables, and the numbers that the descriptors that come with the
    request are to have."""

PROGRAM = "import sys; sys.path[:0] = sys.argv[1:]; from {0} import main; main()"
CLONE_PARENT, SIGCHLD, KILL = 0x8000, 17, 9
CLONE = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine, -1)
"""The number of clone(2); with none the call fails, and the worker starts the command itself."""
PR_SET_PDEATHSIG = 1
MAX_GIVEN = 253
"""Descriptors of one message (SCM_MAX_FD of unix(7))."""
LOW, HIGH = 64, 512
"""The descriptors of a command are below `LOW`. Those of this process are at `LOW` or above, and
those that came with a request are moved to `HIGH` first, so that none stands where another goes."""
NOT_STARTED = 127
DEFAULT = (13, 25, 17)
"""SIGPIPE, SIGXFSZ and SIGCHLD (signal(7)): Python ignores the first two, and a parent may have
ignored the third, which a command would inherit."""
FAILED = b"execpolicy: the command could not be started\n"
_NUMBER = "i"


class Spawner:
    """The process as a worker has it, begun with the first command that it is asked for."""

    def __init__(self) -> None:
        self._link: _socket.socket | None = None

    def launch(self, request: "Launched", given: "tuple[int, ...]") -> int:
        """The process that was started, which waits for the command and ends as it does; 0 where
        none was. `given` are the descriptors that go with the request."""
        described = os.memfd_create("execpolicy")
        try:
            os.write(described, marshal.dumps(request))
            link = self._link = self._link or _begun()
            numbers = array(_NUMBER, (described, *given)).tobytes()
            link.sendmsg([b"."], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)])
            child: int = array(_NUMBER, link.recv(4) or bytes(4))[0]
        except (OSError, ValueError):
            self._link = None  # what ended is begun anew for the next command
            return 0
        finally:
            os.close(described)
        return child


def _begun() -> "_socket.socket":
    """Start it; the end of the socket that leads to it."""
    from execpolicy.support.resources import package_directory

    pair = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET | _socket.SOCK_CLOEXEC)
    outer, inner = pair
    code = PROGRAM.format(__name__)
    words = ["execpolicy", "-IS", "-c", code, os.path.dirname(package_directory())]
    actions = [(os.POSIX_SPAWN_DUP2, inner.fileno(), 0)]
    actions += [(os.POSIX_SPAWN_OPEN, one, os.devnull, os.O_RDWR, 0) for one in (1, 2)]  # type: ignore[misc]
    os.posix_spawn(os.path.realpath(sys.executable), words, {}, file_actions=actions, setsid=True)
    inner.close()
    link = _socket.socket(fileno=fcntl(outer.fileno(), F_DUPFD_CLOEXEC, LOW))
    outer.close()
    return link


def main() -> None:
    """Start what is asked for, until the worker has ended."""
    kernel.load()
    kernel.call("prctl", PR_SET_PDEATHSIG, KILL, 0, 0, 0)
    link = _socket.socket(fileno=fcntl(0, F_DUPFD_CLOEXEC, LOW))
    room = _socket.CMSG_SPACE(4 * MAX_GIVEN)
    while True:
        data, rights, _, _ = link.recvmsg(1, room, _socket.MSG_CMSG_CLOEXEC)
        if not data:
            return
        given = [fd for one in rights for fd in array(_NUMBER, one[2])]
        # A child of the worker, which can wait for it. There is one thread, so nothing of Python
        # has to be mended in the copy.
        child = kernel.function("syscall")(CLONE, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)
        if child == 0:
            _launch(*given)
        for fd in given:
            os.close(fd)
        link.send(array(_NUMBER, (max(child, 0),)).tobytes())


def _launch(described: int, *given: int) -> None:
    """Enter the session and put up the walls, start bubblewrap and wait for it; never returns."""
    code = NOT_STARTED
    try:
        (*before, after), path, words, variables, numbers = _read(described)
        moved = [fcntl(fd, F_DUPFD_CLOEXEC, HIGH) for fd in given]
        for fd, number in zip(moved, numbers, strict=True):
            os.dup2(fd, number, inheritable=number < 3)  # `after` lets bubblewrap have the others
        for rows in before:
            Calls(rows).make()
        # A new process has no such signal, and new credentials take it away (prctl(2)).
        kernel.call("prctl", PR_SET_PDEATHSIG, KILL, 0, 0, 0)
        Calls(after).make()
        child = os.posix_spawn(path, words, variables, setsid=True, setsigdef=DEFAULT)
        os.closerange(0, os.sysconf("SC_OPEN_MAX"))  # pipes end when the command does
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except BaseException:
        os.write(2, FAILED)
    finally:
        os._exit(code if code >= 0 else 128 - code)


def _read(described: int) -> "Launched":
    size = os.lseek(described, 0, os.SEEK_END)
    found: Launched = marshal.loads(os.pread(described, size, 0))  # noqa: S302 - of the worker
    return found
