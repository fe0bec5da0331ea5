"""Standard input, output and error of a confined run.

Pipes are handed in as they are. A terminal is replaced by a pseudo terminal of the run's own, so
that nothing inside can type into the caller's. A file is replaced by a pipe: what was opened for
writing alone could be opened again through `/proc/self/fd`, past every wall.
"""

import os
import select
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.sandbox.backends.terminal import Terminal

CHUNK = 1 << 16
SHOWN = 32
"""Reads of a pseudo terminal before a question: a command that writes without end does not put it
off."""
_MEMORY = 1
"""The major number of `/dev/null`, `zero`, `full`, `random`, `urandom` (null(4))."""
_HARMLESS = (3, 5, 7, 8, 9)
"""Their minor numbers: each is in the sandbox too. Of `/dev/mem` and `/dev/port` none is."""


class Pump:
    """Carries bytes from one descriptor to another. `own_target`: that one is the run's.

    `see` is given what is carried. `failed` is why the target takes nothing any more.
    """

    __slots__ = ("buffer", "closes", "ended", "failed", "own_target", "see", "source", "target")

    def __init__(
        self,
        source: int,
        target: int,
        own_target: bool,
        closes: bool,
        see: "Callable[[bytes], None] | None" = None,
    ) -> None:
        self.source, self.target, self.see = source, target, see
        self.own_target, self.closes = own_target, closes
        self.buffer = b""
        self.ended = False
        self.failed = ""

    def read(self) -> None:
        """Take what is there, as the source is ready."""
        try:
            data = os.read(self.source, CHUNK)
        except BlockingIOError:
            return
        except OSError:  # a terminal that no process holds open any more
            data = b""
        self.take(data)

    def take(self, data: bytes) -> None:
        """Carry this, or end with nothing."""
        if not data:
            self.ended = True
        elif self.see:
            self.see(data)
        self.buffer += data
        self.write()

    def write(self) -> None:
        """Give on what is held back."""
        try:
            while self.buffer:
                self.buffer = self.buffer[os.write(self.target, self.buffer) :]
        except BlockingIOError:
            return
        except OSError as error:
            self._fail(error.strerror or str(error))
        if self.ended and self.closes and not self.buffer:
            os.close(self.target)
            self.closes = False

    def _fail(self, why: str) -> None:
        """Drop what is not taken any more."""
        self.buffer, self.ended = b"", True
        self.failed = "" if self.own_target else why

    def close_source(self) -> None:
        """Close the run's end of a pipe that is read here: the command sees that nobody reads."""
        if self.source >= 0:
            os.close(self.source)
            self.source = -1


class Streams:
    """The descriptors of a run, made before the fork."""

    __slots__ = ("_input", "_unread", "inner", "pumps", "slave", "terminal")

    def __init__(self, given: tuple[int, int, int]) -> None:
        self.pumps: list[Pump] = []
        self.slave = -1
        self.terminal: Terminal | None = None
        self._input: Pump | None = None
        self._unread = -1
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
        if stat.S_ISFIFO(state.st_mode) or stat.S_ISSOCK(state.st_mode) or _is_harmless(state):
            return outer
        if stat.S_ISDIR(state.st_mode) or not _is_open_for(outer, number):
            return _unusable(number)
        key = state.st_dev, state.st_ino
        if number and key in pipes:
            return pipes[key]
        read, write = os.pipe()
        if number == 0:
            os.set_blocking(write, False)
            self._unread = os.dup(read)
            self._input = Pump(outer, write, own_target=True, closes=True)
            self.pumps.append(self._input)
            return read
        pipes[key] = write
        self.pumps.append(Pump(read, outer, own_target=False, closes=False))
        return write

    def _pty(self, given: tuple[int, int, int]) -> int:
        if self.terminal is None:
            from execpolicy.sandbox.backends.terminal import Terminal

            made = self.terminal = Terminal(given)
            self.slave = made.slave
            see = made.queries.see
            self.pumps.append(Pump(made.master, made.screen, False, closes=False, see=see))
            if made.keyboard >= 0:
                self.pumps.append(Pump(made.keyboard, made.master, True, closes=False))
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

    def _is_outer(self, pump: Pump) -> bool:
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
                os.set_blocking(pump.source, False)
                _drain(pump, stop)

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
    def lost(self) -> str:
        """Why a file did not take all output; empty where each did."""
        return next((p.failed for p in self.pumps if p.failed and not p.see), "")

    def close(self) -> None:
        """Give the terminal back, and close what is left of the run's own descriptors.

        What the command did not read of a file is there for the next one that reads it.
        """
        if self._input:
            _give_back(self._input, self._unread)
            os.close(self._unread)
        for pump in self.pumps:
            if pump.closes:
                os.close(pump.target)
            elif not pump.own_target and not pump.see:
                pump.close_source()
        if self.terminal:
            self.terminal.close()


def _drain(pump: Pump, stop: int) -> None:
    """Carry until nothing comes any more, waiting for a target that is slow."""
    poller = select.poll()
    poller.register(pump.target, select.POLLOUT)
    if stop >= 0:
        poller.register(stop, select.POLLIN)
    while True:
        if pump.buffer:
            if any(fd == stop for fd, _ in poller.poll()):
                return
            pump.write()
            continue
        try:
            data = b"" if pump.ended else os.read(pump.source, CHUNK)
        except OSError:
            return
        if not data:
            return
        pump.take(data)


def _give_back(pump: Pump, pipe: int) -> None:
    """Put a file back to where the command stopped reading it."""
    import fcntl
    import termios

    unread = int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), "little")
    try:
        os.lseek(pump.source, -unread - len(pump.buffer), os.SEEK_CUR)
    except OSError:  # it has no places
        return


def _state(fd: int) -> os.stat_result | None:
    try:
        return os.fstat(fd)
    except OSError:
        return None


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
