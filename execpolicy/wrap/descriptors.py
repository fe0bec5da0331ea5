"""The descriptors of a command: those of its shim, as far as they open nothing else.

Pipes, connected pairs of unix sockets, terminals of the session and `/dev/null` are handed on as
they are, and files that the command could open for writing itself: no process reads or writes
them on the way. Other files are carried through a pipe, for a process that has a descriptor of a
file can open it again by `/proc/self/fd`, for more than it was opened for. Nothing else is handed
on: no directory, no socket with a name, no device.
"""

import os
import stat
from _collections_abc import Callable
from fcntl import F_GETFL, fcntl

from execpolicy.sandbox.backends.streams.pump import Pump
from execpolicy.sandbox.backends.streams.sockets import is_nameless, is_pair
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.walls import Wall, wall_at
from execpolicy.support.path_match import below

_MEMORY, _HARMLESS = 1, (3, 5, 7, 8, 9)
"""The major number of `/dev/null`, `zero`, `full`, `random`, `urandom`, and their minor ones."""
_TERMINALS = range(136, 144)
"""Major numbers of the terminals below `/dev/pts` (devices.txt of Linux). A person's own never come
in here: the agent has one of the session in its place."""
_TEMPORARY = "/tmp"  # noqa: S108


class Descriptors:
    """What a command gets: by `inner` the first three, by `more` others, each with its number.

    `given` has for each number the descriptor of this process. `slave` is as in `Streams`.
    """

    slave = -1

    def __init__(self, given: "tuple[tuple[int, int], ...]", plan: "Plan") -> None:
        found = dict(given)
        self.pumps: list[Pump] = []
        self._own: list[int] = []
        self._plan, self._given = plan, tuple(found.values())
        self.inner = tuple(self._standard(number, found.get(number, -1)) for number in range(3))
        self.more = {n: fd for n, fd in found.items() if n > 2 and self._is_handed(fd)}

    def _standard(self, number: int, fd: int) -> int:
        if fd >= 0 and self._is_handed(fd):
            return fd
        if fd >= 0 and stat.S_ISREG(os.fstat(fd).st_mode) and _is_open_for(fd, number):
            return self._carried(number, fd)
        flags = os.O_RDONLY if number else os.O_WRONLY
        self._own.append(os.open(os.devnull, flags | os.O_CLOEXEC))
        return self._own[-1]

    def _carried(self, number: int, fd: int) -> int:
        read, write = os.pipe()
        inner, outer = (write, read) if number else (read, write)
        self._own.append(inner)
        if number:
            self.pumps.append(Pump(outer, fd, own_target=False, closes=False))
        else:
            os.set_blocking(outer, False)
            self.pumps.append(Pump(fd, outer, own_target=True, closes=True))
        return inner

    def _is_handed(self, fd: int) -> bool:
        state = os.fstat(fd)
        if fcntl(fd, F_GETFL) & os.O_PATH:
            return False
        if stat.S_ISFIFO(state.st_mode):
            return True
        if stat.S_ISSOCK(state.st_mode):
            return is_pair(fd) and is_nameless(fd)
        if stat.S_ISCHR(state.st_mode):
            major, minor = os.major(state.st_rdev), os.minor(state.st_rdev)
            return major in _TERMINALS or (major == _MEMORY and minor in _HARMLESS)
        return stat.S_ISREG(state.st_mode) and self._is_written(fd, state)

    def _is_written(self, fd: int, state: os.stat_result) -> bool:
        """Whether a file is one that the command may write, by the place that it has now."""
        path = os.readlink(f"/proc/self/fd/{fd}")
        shared = self._plan.temporary
        if shared and below(path, _TEMPORARY):
            there = shared + path.removeprefix(_TEMPORARY)
        elif wall_at(path, self._plan.mounts) is Wall.WRITE:
            there = path
        else:
            return False
        try:
            return os.path.samestat(os.lstat(there), state)
        except OSError:
            return False

    def watch(self, watched: "dict[int, Callable[[], None]]") -> None:
        """Carry what comes, in a loop that polls."""
        for pump in self.pumps:
            if not pump.own_target:
                watched[pump.source] = lambda pump=pump: self._carry(pump, watched)  # type: ignore[misc]

    def feed(self) -> "list[int]":
        """Give commands what they read of files; the descriptors that wait to take more."""
        waits = []
        for pump in self.pumps:
            if pump.own_target:
                while not pump.ended and not pump.buffer:
                    pump.read()
                if pump.buffer:
                    pump.write()
                if pump.buffer:
                    waits.append(pump.target)
        return waits

    def _carry(self, pump: Pump, watched: "dict[int, Callable[[], None]]") -> None:
        pump.read()
        if pump.ended:
            watched.pop(pump.source, None)

    def started(self) -> None:
        """The command has them: close what is its own."""
        for fd in self._own:
            os.close(fd)
        self._own.clear()

    def release(self) -> None:
        """Hold none of them but the files that are carried: who reads the other end of a pipe is to
        see where it ends, whatever the command left running."""
        carried = {fd for pump in self.pumps for fd in (pump.source, pump.target)}
        nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        for fd in self._given:
            if fd not in carried:
                os.dup2(nothing, fd, inheritable=False)
        os.close(nothing)

    def drain(self) -> None:
        """Carry what is left of a command that has ended."""
        for pump in self.pumps:
            if not pump.own_target and not pump.ended:
                pump.drain(-1)


def _is_open_for(fd: int, number: int) -> bool:
    mode = fcntl(fd, F_GETFL) & os.O_ACCMODE
    return mode != (os.O_RDONLY if number else os.O_WRONLY)
