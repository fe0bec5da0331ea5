"""Makes the connections that a run hands over: see `own_sockets`."""

import _socket
import _thread
import ctypes
import os
import select
import stat
import struct
from _collections_abc import Callable
from errno import EACCES, ECONNREFUSED
from fcntl import F_GETFL, fcntl, ioctl

from execpolicy.sandbox.backends.seccomp import UNIX

RECEIVE, SEND, IS_VALID = 0xC0502100, 0xC0182101, 0x40082102
"""SECCOMP_IOCTL_NOTIF_RECV, _SEND and _ID_VALID (linux/seccomp.h)."""
ASKED, SAID = struct.Struct("QIIiIQ6Q"), struct.Struct("QqiI")
PIDFD_GETFD, OPENAT2 = 438, 437
IN_ROOT = struct.pack("QQQ", os.O_PATH | os.O_CLOEXEC, 0, 0x10)
"""`struct open_how` with RESOLVE_IN_ROOT: links lead where they lead inside."""
LONGEST = 128
"""Bytes of the longest address (`struct sockaddr_storage`)."""
LIST, DUMP, DONE, ERROR, UNIX_FILE = 20, 0x301, 3, 2, 1
"""SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, NLMSG_DONE, NLMSG_ERROR, UNIX_DIAG_VFS."""
MAX_REFUSED = 20
_LIBRARY = ctypes.CDLL(None, use_errno=True)


class Connecting:
    """Answers each connect(2) of one run.

    `told` is the descriptor that tells of them, `asked` a socket in the network of the run that the
    kernel lists its sockets to. `refused` gets the paths of sockets that are not the run's.
    """

    def __init__(
        self, told: int, asked: int, opened: "tuple[str, ...]", refused: "dict[str, None]"
    ) -> None:
        self._told, self._opened, self._refused = told, opened, refused
        self._asked = _socket.socket(fileno=asked)

    def answer(self, watched: "dict[int, Callable[[], None]]") -> None:
        """Make one connection, or refuse it; wait apart where it may take long."""
        events = _events(self._told)
        if events & select.POLLHUP:  # no process has the filter any more
            del watched[self._told]
        if not events & select.POLLIN:  # what asked was stopped meanwhile, and asks again
            return
        given = bytearray(ASKED.size)
        try:
            ioctl(self._told, RECEIVE, given)
        except OSError:  # what asked has ended
            return
        number, task, _, _, _, _, fd, address, length, *_ = ASKED.unpack(given)
        try:
            end, where, looked = self._prepared(number, task, fd & 0xFFFFFFFF, address, length)
        except (OSError, OverflowError, ValueError, StopIteration) as error:
            self._say(number, getattr(error, "errno", None) or EACCES)
            return
        if fcntl(end, F_GETFL) & os.O_NONBLOCK:
            self._connect(number, end, where, looked)
        else:
            _thread.start_new_thread(self._connect, (number, end, where, looked))

    def _prepared(
        self, number: int, task: int, fd: int, address: int, length: int
    ) -> tuple[int, bytes, int]:
        """The socket, the address that it is to be connected to, and the descriptor that this
        address names, -1 for none. Raises `OSError` with what the command is told."""
        end = _taken(task, fd)
        looked = -1
        try:
            with open(f"/proc/{task}/mem", "rb", buffering=0) as memory:
                memory.seek(address)
                where = memory.read(min(length & 0xFFFFFFFF, LONGEST))
            ioctl(self._told, IS_VALID, struct.pack("Q", number))
            if _family(end) == UNIX and where[:2] == struct.pack("H", UNIX) and where[2:3] > b"\0":
                looked = self._looked(task, where[2:].partition(b"\0")[0])
                where = struct.pack("H", UNIX) + b"/proc/self/fd/%d\0" % looked
        except BaseException:
            os.close(end)
            raise
        return end, where, looked

    def _looked(self, task: int, path: bytes) -> int:
        """What stands at a path inside, open. Raises `OSError` for all but sockets of the run."""
        if not path.startswith(b"/"):
            path = os.readlink(b"/proc/%d/cwd" % task) + b"/" + path
        root = os.open(f"/proc/{task}/root", os.O_PATH | os.O_CLOEXEC)
        try:
            looked = _checked(_LIBRARY.syscall(OPENAT2, root, path, IN_ROOT, len(IN_ROOT)))
        finally:
            os.close(root)
        try:
            if not stat.S_ISSOCK(os.fstat(looked).st_mode):
                raise OSError(ECONNREFUSED, "no socket")
            if not (self._is_opened(looked) or self._is_own(looked, task)):
                if len(self._refused) < MAX_REFUSED:
                    self._refused[os.fsdecode(path)] = None
                raise OSError(EACCES, "a socket of another program")
        except BaseException:
            os.close(looked)
            raise
        return looked

    def _is_opened(self, looked: int) -> bool:
        """Whether a rule opens it."""
        state = os.fstat(looked)
        return any(_stands_at(path, state) for path in reversed(self._opened))

    def _is_own(self, looked: int, task: int) -> bool:
        """Whether it was bound in the network of the run."""
        wanted = struct.pack("II", os.fstat(looked).st_ino & 0xFFFFFFFF, _device(looked, task))
        request = struct.pack("=BBHIIIII", UNIX, 0, 0, 0xFFFFFFFF, 0, 2, 0xFFFFFFFF, 0xFFFFFFFF)
        self._asked.send(struct.pack("=IHHII", 16 + len(request), LIST, DUMP, 1, 0) + request)
        found = False
        while True:  # to its end, so that nothing is left for the next question
            for kind, body in _parts(self._asked.recv(1 << 16), 16):
                if kind in (DONE, ERROR):
                    return found
                found |= (UNIX_FILE, wanted) in _parts(body[16:], 4, 2)

    def _connect(self, number: int, end: int, where: bytes, looked: int) -> None:
        try:
            failed = _LIBRARY.connect(end, where, len(where)) < 0
            self._say(number, ctypes.get_errno() if failed else 0)
        finally:
            os.close(end)
            if looked >= 0:
                os.close(looked)

    def close(self) -> None:
        """Answer no more."""
        os.close(self._told)
        self._told = -1
        self._asked.close()

    def _say(self, number: int, error: int) -> None:
        try:
            ioctl(self._told, SEND, SAID.pack(number, 0, -error, 0))
        except OSError:  # it has ended
            return


def _events(told: int) -> int:
    """Whether a connection waits to be made: to receive where none does would not end."""
    poller = select.poll()
    poller.register(told, select.POLLIN)
    return next((events for _, events in poller.poll(0)), 0)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def _taken(task: int, fd: int) -> int:
    """A copy of a descriptor of the process that this thread belongs to."""
    with open(f"/proc/{task}/status") as file:
        process = next(int(line[5:]) for line in file if line.startswith("Tgid:"))
    held = os.pidfd_open(process)
    try:
        return _checked(_LIBRARY.syscall(PIDFD_GETFD, held, fd, 0))
    finally:
        os.close(held)


def _stands_at(path: str, state: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), state)
    except OSError:
        return False


def _family(end: int) -> int:
    """The family of a socket; of no socket, none."""
    known = _socket.socket(fileno=os.dup(end))
    try:
        return known.family
    finally:
        known.close()


def _device(looked: int, task: int) -> int:
    """The device of its file system, as the kernel itself numbers it: that of stat(2) is another
    one on btrfs."""
    with open(f"/proc/self/fdinfo/{looked}") as file:
        mount = next(line.split()[1] for line in file if line.startswith("mnt_id:"))
    with open(f"/proc/{task}/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        device = next((line.split()[2] for line in file if line.split()[0] == mount), "")
    if not device:
        raise OSError(EACCES, "of another mount namespace")
    major, _, minor = device.partition(":")
    return int(major) << 20 | int(minor)


def _parts(data: bytes, head: int, size: int = 4) -> "list[tuple[int, bytes]]":
    """Messages of netlink(7), or their attributes: each a length, a kind and a body."""
    found = []
    while len(data) >= head:
        length = int.from_bytes(data[:size], "little")
        kind = int.from_bytes(data[size : size + 2], "little")
        if length < head:
            break
        found.append((kind, data[head:length]))
        data = data[(length + 3) & ~3 :]
    return found
