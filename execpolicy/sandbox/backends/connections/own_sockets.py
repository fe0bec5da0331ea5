"""Lets a run connect to the unix sockets of its own network alone, whatever their paths.

A filter cannot read a path, so each connect(2) is handed to the launcher (seccomp_unotify(2)),
which makes it in the place of the command: with a copy of the address and of the descriptor, to
the inode that it looked at. A socket is the run's where the kernel lists that inode among those
that were bound in its network (sock_diag(7)); abstract ones lie in that network anyway. Sockets of
datagrams, which could be sent to any path without connect(2), are refused by the filter.
"""

import os
import sys
from array import array

from execpolicy.sandbox.backends.seccomp import MACHINES, filter_bytes, handing_over
from execpolicy.sandbox.kernel import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket as _socket
    from collections.abc import Callable

    from execpolicy.sandbox.backends.connections.connecting import Connecting
else:  # what the module is made of, without the enumerations that take most of its start
    import _socket

NO_NEW_PRIVILEGES = 38
"""PR_SET_NO_NEW_PRIVS of prctl(2)."""
LOAD_FILTER, NEW_LISTENER, UNBROKEN = 1, 8, 32
"""SECCOMP_SET_MODE_FILTER, and flags: a descriptor is given (Linux 5.0), and a call that is being
answered is not begun anew by a signal (5.19)."""
DIAGNOSIS = 4
"""NETLINK_SOCK_DIAG."""


class OwnSockets:
    """What judges the connections of one run: made before the fork, used on both sides of it.

    `opened` are the sockets of other programs that a rule lets the run use.
    """

    def __init__(self, opened: "tuple[str, ...]" = ()) -> None:
        self._opened = opened
        self._outer, self._inner = _socket.socketpair()
        self._judge: Connecting | None = None
        self.refused: dict[str, None] = {}

    def install(self, *, alone: bool) -> None:
        """Have this process hand its connections over.

        Where it is not in the network of the run, which is `alone` in it, or where the kernel does
        not give that, no unix socket can be made. Raises `OSError` where that is refused, too.
        """
        machine = os.uname().machine
        call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        if not alone:
            _load(machine, filter_bytes(machine), 0)
            return
        try:
            asked = _socket.socket(_socket.AF_NETLINK, _socket.SOCK_RAW, DIAGNOSIS)
            rules = handing_over(machine)
            try:
                told = _load(machine, rules, NEW_LISTENER | UNBROKEN)
            except OSError:
                told = _load(machine, rules, NEW_LISTENER)
        except OSError:
            _load(machine, filter_bytes(machine), 0)
            return
        rights = array("i", (told, asked.fileno())).tobytes()
        self._inner.sendmsg([b"\n"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])

    def handed(self, in_memory: "Callable[[bytes], int]") -> tuple[int, int, int]:
        """What a process needs that installs it without this module: where it says what it has,
        the filter, and the one where no unix socket can be made, as files that `in_memory` makes.
        """
        machine = os.uname().machine
        rules = handing_over(machine), filter_bytes(machine)
        return self._inner.fileno(), in_memory(rules[0]), in_memory(rules[1])

    def watch(self, watched: "dict[int, Callable[[], None]]") -> None:
        """Be told by the launcher's loop of what the child hands over."""
        self._inner.close()
        watched[self._outer.fileno()] = lambda: self._begin(watched)

    def _begin(self, watched: "dict[int, Callable[[], None]]") -> None:
        """Take what answers; its work is loaded with the first connection."""
        del watched[self._outer.fileno()]
        _, given, _, _ = self._outer.recvmsg(1, _socket.CMSG_LEN(8), _socket.MSG_CMSG_CLOEXEC)
        if not given:
            return
        told, asked = array("i", given[0][2])

        def answer() -> None:
            from execpolicy.sandbox.backends.connections.connecting import Connecting

            judge = self._judge = Connecting(told, asked, self._opened, self.refused)
            watched[told] = lambda: judge.answer(watched)
            judge.answer(watched)

        watched[told] = answer

    def close(self) -> None:
        """Let go of what both sides had."""
        if self._judge is not None:
            self._judge.close()
        self._outer.close()
        self._inner.close()


def _load(machine: str, rules: bytes, flags: int) -> int:
    """Load a filter; the descriptor that is told of what it hands over. Raises `OSError`."""
    code = array("B", rules)
    where, count = code.buffer_info()
    program = (count // 8).to_bytes(8, sys.byteorder) + where.to_bytes(8, sys.byteorder)
    return call("syscall", MACHINES[machine].seccomp, LOAD_FILTER, flags, program)
