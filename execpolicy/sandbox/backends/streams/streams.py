"""Standard input, output and error of a confined run.

Pipes are handed in as they are, and connected pairs of unix sockets; but standard error is carried,
so that what a program says of a wall can be looked at. A terminal is replaced by a
pseudo terminal of the run's own, so that nothing inside can type into the caller's. A file is
replaced by a pipe: what was opened for writing alone could be opened again through `/proc/self/fd`,
past every wall. So is any other socket, which belongs to a network outside.
"""

import os
import select
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.backends.streams.pump import Pump
    from execpolicy.sandbox.backends.streams.terminal import Terminal

SHOWN = 32
"""Reads of a pseudo terminal before a question: a command that writes without end does not put it
off."""
_MEMORY = 1
"""The major number of `/dev/null`, `zero`, `full`, `random`, `urandom` (null(4))."""
_HARMLESS = (3, 5, 7, 8, 9)
"""Their minor numbers: each is in the sandbox too. Of `/dev/mem` and `/dev/port` none is."""
HANDED, UNUSABLE, FILE, SOCKET, PIPE = "handed", "unusable", "file", "socket", "pipe"
"""What is done with a stream: handed on as it is, or replaced by what gives errors or by a pipe."""


class Streams:
    """The descriptors of a run, made before the fork."""

    def __init__(self, given: tuple[int, int, int]) -> None:
        self.pumps: list[Pump] = []
        self.slave = -1
        self.terminal: Terminal | None = None
        self._input: Pump | None = None
        self._unread = -1
        self._said: Pump | None = None
        pipes: dict[tuple[int, int], int] = {}
        self.inner = tuple(self._inner(number, given, pipes) for number in range(3))

    def _inner(
        self, number: int, given: tuple[int, int, int], pipes: "dict[tuple[int, int], int]"
    ) -> int:
        """The descriptor that stands for one of the caller's."""
        outer = given[number]
        state = _state(outer)
        if state is None:
            return _unusable(number)
        if os.isatty(outer):
            return self._pty(given)
        key = state.st_dev, state.st_ino
        sort = _sort(outer, state, number)
        is_error = number and key == _key(given[2])
        if sort == HANDED and is_error and stat.S_ISFIFO(state.st_mode) and _has_reader(outer):
            sort = PIPE
        if sort == HANDED:
            return outer
        if sort == UNUSABLE:
            return _unusable(number)
        if number == 0:
            return self._read_from(outer, sort)
        if key not in pipes:
            pipes[key] = self._written_to(outer, sort, key == _key(given[2]))
        return pipes[key]

    def _read_from(self, file: int, sort: str) -> int:
        """A pipe to read in the place of a file or a socket."""
        read, write = os.pipe()
        os.set_blocking(write, False)
        self._unread = os.dup(read)
        self._input = _pump(sort, "FromSocket")(file, write, own_target=True, closes=True)
        self.pumps.append(self._input)
        return read

    def _written_to(self, file: int, sort: str, is_error: bool) -> int:
        """A pipe to write in the place of a file, a socket or another pipe."""
        read, write = os.pipe()
        name = "ToPipe" if sort == PIPE else "ToSocket"
        made = _pump(sort, name)(read, file, own_target=False, closes=False)
        self.pumps.append(made)
        if is_error:
            self._said = made
        return write

    def _pty(self, given: tuple[int, int, int]) -> int:
        if self.terminal is None:
            from execpolicy.sandbox.backends.streams import pump
            from execpolicy.sandbox.backends.streams.terminal import Terminal

            made = self.terminal = Terminal(given)
            self.slave = made.slave
            see = made.queries.see
            self._said = pump.Pump(made.master, made.screen, False, closes=False, see=see)
            self.pumps.append(self._said)
            if made.keyboard >= 0:
                self.pumps.append(pump.Pump(made.keyboard, made.master, True, closes=False))
        return self.slave

    def resize(self) -> None:
        """Give the inner terminal the size of the outer one."""
        if self.terminal:
            self.terminal.resize()

    def close_inner(self, given: tuple[int, int, int]) -> None:
        """Close in the parent what the child has now."""
        for fd in set(self.inner) - set(given):
            os.close(fd)
        self.slave = -1

    def ready(self, poller: "select.poll") -> None:
        """Ask a poll for what can be carried now."""
        wanted: dict[int, int] = {}
        terminal = self.terminal
        for pump in self.pumps:
            if terminal is not None and not terminal.carries(pump.source, pump.target):
                continue
            if pump.buffer:
                wanted[pump.target] = wanted.get(pump.target, 0) | select.POLLOUT
            elif not pump.ended:
                wanted[pump.source] = wanted.get(pump.source, 0) | select.POLLIN
        for fd, events in wanted.items():
            poller.register(fd, events)

    def carry(self, fd: int, events: int) -> None:
        """Carry what a descriptor is ready for."""
        for pump in self.pumps:
            if pump.source == fd and not pump.ended and not pump.buffer:
                if events & (select.POLLIN | select.POLLHUP | select.POLLERR):
                    pump.read()
            elif pump.target == fd and pump.buffer:
                pump.write()
            if pump.failed and pump.source >= 0 and not pump.see:
                pump.close_source()
        if self.terminal and any(pump.ended for pump in self.pumps if self._is_outer(pump)):
            self._hang_up(self.terminal)

    def _is_outer(self, pump: "Pump") -> bool:
        """Whether a pump carries to or from the caller's terminal, and ends with that."""
        return bool(pump.failed if pump.see else pump.own_target and pump is not self._input)

    def _hang_up(self, terminal: "Terminal") -> None:
        """The caller's terminal is gone: so is the one inside."""
        self.pumps = [pump for pump in self.pumps if not (pump.see or self._is_outer(pump))]
        terminal.hang_up()

    def drain(self, stop: int = -1) -> None:
        """Carry the rest: everything inside has ended. What comes from `stop` breaks it off."""
        for pump in self.pumps:
            if not pump.own_target and pump.source >= 0:
                pump.drain(stop)

    def suspend(self) -> None:
        """Give the terminal to another process for a while: nothing is carried to it or from it.

        What the command has shown by now is shown first, so that a question stands below it.
        """
        if self.terminal:
            self.show()
            self.terminal.hold()

    def show(self) -> None:
        """Carry what the inner terminal holds, up to a bound."""
        for pump in self.pumps:
            if pump.see and self.terminal and not self.terminal.held:
                for _ in range(SHOWN):
                    if not pump.ended and not pump.buffer:
                        pump.read()

    def resume(self) -> None:
        """Take the terminal back."""
        if self.terminal:
            self.terminal.go_on()

    @property
    def stderr_end(self) -> bytes:
        """The end of what standard error was given, as far as that is carried."""
        return self._said.last if self._said else b""

    @property
    def lost(self) -> str:
        """Why a file did not take all output; empty where each did."""
        return next((p.failed for p in self.pumps if p.failed and p.keeps and not p.see), "")

    def close(self) -> None:
        """Give the terminal back, and close what is left of the run's own descriptors.

        What the command did not read of a file is there for the next one that reads it.
        """
        if self._input:
            self._input.give_back(self._unread)
            os.close(self._unread)
        for pump in self.pumps:
            if pump.closes:
                os.close(pump.target)
            elif not pump.own_target and not pump.see:
                pump.close_source()
        if self.terminal:
            self.terminal.close()


def _state(fd: int) -> os.stat_result | None:
    try:
        return os.fstat(fd)
    except OSError:
        return None


def _sort(fd: int, state: os.stat_result, number: int) -> str:
    """What is done with a descriptor that is not a terminal."""
    if stat.S_ISFIFO(state.st_mode) or _is_harmless(state):
        return HANDED
    if stat.S_ISSOCK(state.st_mode):
        from execpolicy.sandbox.backends.streams.sockets import is_connected, is_pair

        if is_pair(fd):
            return HANDED
        return SOCKET if is_connected(fd) else UNUSABLE
    is_usable = not stat.S_ISDIR(state.st_mode) and _is_open_for(fd, number)
    return FILE if is_usable else UNUSABLE


def _pump(sort: str, name: str) -> "type[Pump]":
    """What carries to or from a file, or a socket by the class of this name."""
    if sort == SOCKET:
        from execpolicy.sandbox.backends.streams import sockets

        made: type[Pump] = getattr(sockets, name)
        return made
    from execpolicy.sandbox.backends.streams import pump

    return pump.ToPipe if sort == PIPE else pump.Pump


def _has_reader(pipe: int) -> bool:
    """Whether a pipe has a reader: else a command ends with its first byte (pipe(7))."""
    poller = select.poll()
    poller.register(pipe, select.POLLOUT)
    return not any(events & select.POLLERR for _, events in poller.poll(0))


def _key(fd: int) -> tuple[int, int] | None:
    """What a descriptor is of; None where it is closed."""
    state = _state(fd)
    return None if state is None else (state.st_dev, state.st_ino)


def _is_open_for(fd: int, number: int) -> bool:
    """Whether a descriptor can be read as standard input, or written as any other."""
    from fcntl import F_GETFL, fcntl

    mode = fcntl(fd, F_GETFL) & os.O_ACCMODE
    return mode != (os.O_RDONLY if number else os.O_WRONLY)


def _unusable(number: int) -> int:
    """A descriptor that gives the errors of one that is closed, or open for something else."""
    return os.open(os.devnull, (os.O_RDONLY if number else os.O_WRONLY) | os.O_CLOEXEC)


def _is_harmless(state: os.stat_result) -> bool:
    if not stat.S_ISCHR(state.st_mode) or os.major(state.st_rdev) != _MEMORY:
        return False
    return os.minor(state.st_rdev) in _HARMLESS
