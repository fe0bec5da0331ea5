"""The namespaces that the commands of a wrapped session share, and the process that keeps them.

Commands see and signal each other, and have one loopback. Each has a user namespace of its own
besides: in a shared one `/proc/PID/root`, `environ` and `fd` of a neighbour would be open to it.
"""

import os
import sys
from array import array

from execpolicy.sandbox import kernel
from execpolicy.sandbox.backends import process_tree
from execpolicy.sandbox.backends.halted import mounts_of
from execpolicy.sandbox.backends.mounts import PRIVATE, RECURSIVE, mount
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.kernel import call
from execpolicy.sandbox.session import network
from execpolicy.sandbox.session.network import NEW_NETWORK
from execpolicy.support.resources import package_directory
from execpolicy.wrap.programs import has_static_shim, shim_program
from execpolicy.wrap.start.wall_calls import takes_walls

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from typing import Self
else:
    import _signal

NAMES = ("user", "mnt", "pid", "net", "ipc", "uts")
"""As `/proc/PID/ns` calls them. That of users comes first: it gives the right to the others."""
_MORE = 0x20000 | 0x20000000 | 0x8000000 | 0x4000000
"""CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWIPC and CLONE_NEWUTS of clone(2)."""
DEATH = 1, 9
"""PR_SET_PDEATHSIG with SIGKILL (prctl(2))."""
HOSTNAME = b"localhost"


class Namespaces:
    """The namespaces of a session, open. They end, with all that runs in them, with the last
    process that holds `_hold`."""

    __slots__ = ("_first", "_hold", "_opened", "takes_walls")

    def __init__(
        self, first: int, opened: "tuple[int, ...]", hold: int, *, takes_walls: bool
    ) -> None:
        self._first, self._opened, self._hold = first, opened, hold
        self.takes_walls = takes_walls
        """Whether walls can be put up in them by `wall_calls.py`."""

    @classmethod
    def begin(cls) -> "Self":
        """Make them. Raises `NoSandboxError` where the kernel refuses."""
        kernel.load()
        told, tells = os.pipe()
        kept, hold = os.pipe()
        child = os.fork()
        if child == 0:
            _make(tells, kept, (told, hold))
        os.close(tells)
        os.close(kept)
        try:
            with os.fdopen(told, "rb") as file:
                said = array("i", file.read(8))
            if len(said) < 2:
                raise NoSandboxError("the kernel makes no namespaces for the session")
            first, takes_walls = said
            at = f"/proc/{first}/ns"
            flags = os.O_RDONLY | os.O_CLOEXEC
            opened = tuple(os.open(f"{at}/{name}", flags) for name in NAMES)
            os.write(hold, b".")
        except BaseException:
            os.close(hold)
            raise
        finally:
            os.waitpid(child, 0)
        return cls(first, opened, hold, takes_walls=bool(takes_walls))

    @property
    def opened(self) -> "tuple[int, ...]":
        """Descriptors of them, in the order in which they are entered."""
        return self._opened

    def enter(self, *, alone: bool = False) -> None:
        """Have this process be in them, and each process that it starts from now on in that of
        processes too. `alone`: with a network of its own. Raises `OSError`."""
        for descriptor in self._opened:
            call("setns", descriptor, 0)
        if alone:
            call("unshare", NEW_NETWORK)
            network.raise_loopback()

    def enter_network(self) -> None:
        """Have this process be in their network alone. Raises `OSError`."""
        for name, descriptor in zip(NAMES, self._opened, strict=True):
            if name in ("user", "net"):
                call("setns", descriptor, 0)

    def left(self, mounts: str) -> int:
        """The last process that a command with these mounts left, 0 where there is none. What lost
        its parent has the first process for one (pid_namespaces(7))."""
        children = process_tree.children_of(self._first)
        return next((one for one in reversed(children) if mounts_of(one) == mounts), 0)

    def release(self) -> None:
        """Have them end without this process."""
        if self._hold >= 0:
            os.close(self._hold)
            self._hold = -1

    def end(self) -> None:
        """Let them go."""
        self.release()
        for descriptor in self._opened:
            os.close(descriptor)


def die_with_parent() -> None:
    """Have the kernel kill this process when the one that started it ends."""
    call("prctl", *DEATH, 0, 0, 0)


def _make(tells: int, kept: int, others: "tuple[int, ...]") -> None:
    """Make the namespaces in the child, and their first process; never returns."""
    try:
        for descriptor in others:
            os.close(descriptor)
        network.begin(_MORE)
        call("sethostname", HOSTNAME, len(HOSTNAME))
        first = os.fork()
        if first == 0:
            _keep(tells, kept)
    finally:
        os._exit(0)


def _keep(tells: int, kept: int) -> None:
    """The first process: it gives the namespaces their `/proc`, and waits for the session's end.

    It holds nothing, and nothing that it has can be looked into. What is left to it is forgotten.
    """
    try:
        _signal.signal(_signal.SIGCHLD, _signal.SIG_IGN)
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        os.setsid()
        os.chdir("/")
        mount(None, b"/", RECURSIVE | PRIVATE)
        number = int(os.readlink("/proc/self"))  # of the machine: that is still mounted
        mount(b"proc", b"/proc", 2 | 4 | 8, b"proc")
        os.write(tells, array("i", (number, takes_walls())).tobytes())
        os.close(tells)
        if os.read(kept, 1):
            os.dup2(kept, 0)
            os.closerange(1, os.sysconf("SC_OPEN_MAX"))
            _become_first_process()
    finally:
        os._exit(0)


def _become_first_process() -> None:
    """Become a program with no words of the agent, which `pgrep -f` would find. Never returns."""
    if has_static_shim():
        program = os.open(shim_program(), os.O_RDONLY | os.O_CLOEXEC)
        os.execve(f"/proc/self/fd/{program}", ["execpolicy", "session"], {})  # noqa: S606
    with open(os.path.join(package_directory(), "wrap", "first_process.py"), "rb") as file:
        text = file.read().decode()
    os.execve(os.path.realpath(sys.executable), ["execpolicy", "-IS", "-c", text], {})  # noqa: S606
