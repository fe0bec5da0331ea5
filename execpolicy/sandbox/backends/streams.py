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

    from execpolicy.sandbox.backends.queries import Queries

    Attributes = list[int | list[bytes | int]]

CHUNK = 1 << 16
SHOWN = 32
"""Reads of a pseudo terminal before a question: a command that writes without end does not put it
off."""


class Pump:
    """Carries bytes from one descriptor to another. `own` says which of the two are the run's.

    `see` is given what is carried.
    """

    __slots__ = ("buffer", "closes", "ended", "own_target", "see", "source", "target")

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
        """Give on what is held back; what is not taken any more is dropped."""
        try:
            while self.buffer:
                self.buffer = self.buffer[os.write(self.target, self.buffer) :]
        except BlockingIOError:
            return
        except OSError:
            self.buffer, self.ended = b"", True
        if self.ended and self.closes and not self.buffer:
            os.close(self.target)
            self.closes = False


class Streams:
    """The descriptors of a run, made before the fork."""

    __slots__ = (
        *("_held", "_queries", "_raw", "_restore", "_screen"),
        *("inner", "master", "pumps", "slave", "terminal"),
    )

    def __init__(self, given: tuple[int, int, int]) -> None:
        self.pumps: list[Pump] = []
        self.master = self.slave = -1
        self.terminal = self._screen = -1
        self._queries: Queries | None = None
        self._restore: Attributes | None = None
        self._raw: Attributes | None = None
        self._held = False
        pipes: dict[tuple[int, int], int] = {}
        self.inner = tuple(self._inner(number, given[number], pipes) for number in range(3))
        if self.master >= 0:
            self._terminal_pumps(given)

    def _inner(self, number: int, outer: int, pipes: "dict[tuple[int, int], int]") -> int:
        """The descriptor that stands for one of the caller's."""
        state = _state(outer)
        if state is None:
            return os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        if os.isatty(outer):
            return self._pty(outer)
        if stat.S_ISFIFO(state.st_mode) or stat.S_ISSOCK(state.st_mode) or _is_null(state):
            return outer
        if stat.S_ISDIR(state.st_mode):
            return os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        key = state.st_dev, state.st_ino
        if number and key in pipes:
            return pipes[key]
        read, write = os.pipe()
        if number == 0:
            os.set_blocking(write, False)
            self.pumps.append(Pump(outer, write, own_target=True, closes=True))
            return read
        pipes[key] = write
        self.pumps.append(Pump(read, outer, own_target=False, closes=False))
        return write

    def _pty(self, outer: int) -> int:
        if self.master < 0:
            import termios

            self.master, self.slave = os.openpty()
            self.terminal = outer
            termios.tcsetattr(self.slave, termios.TCSANOW, termios.tcgetattr(outer))
            self.resize()
        return self.slave

    def _terminal_pumps(self, given: tuple[int, int, int]) -> None:
        os.set_blocking(self.master, False)
        outputs = [fd for fd in given[1:] if _is_terminal(fd)]
        if outputs:
            self._screen = outputs[0]
            from execpolicy.sandbox.backends.queries import Queries

            self._queries = Queries()
            see = self._queries.see
            self.pumps.append(Pump(self.master, outputs[0], False, closes=False, see=see))
        if _is_terminal(given[0]):
            self.pumps.append(Pump(given[0], self.master, own_target=True, closes=False))
            self._make_raw(given[0])

    def _make_raw(self, terminal: int) -> None:
        """What is typed goes on as it is; the inner terminal makes lines and signals of it."""
        import termios

        if _in_background(terminal):
            return  # the terminal is not this process's to change
        self._restore = termios.tcgetattr(terminal)
        raw = termios.tcgetattr(terminal)
        raw[0] &= ~(termios.BRKINT | termios.ICRNL | termios.INLCR | termios.IXON | termios.ISTRIP)
        raw[1] &= ~termios.OPOST
        raw[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        raw[6][termios.VMIN], raw[6][termios.VTIME] = 1, 0
        termios.tcsetattr(terminal, termios.TCSADRAIN, raw)
        self._raw = raw

    def resize(self) -> None:
        """Give the inner terminal the size of the outer one."""
        if self.master >= 0:
            import fcntl
            import termios

            size = fcntl.ioctl(self.terminal, termios.TIOCGWINSZ, bytes(8))
            fcntl.ioctl(self.slave if self.slave >= 0 else self.master, termios.TIOCSWINSZ, size)

    def close_inner(self, given: tuple[int, int, int]) -> None:
        """Close in the parent what the child has now."""
        for fd in set(self.inner) - set(given):
            os.close(fd)
        self.slave = -1

    def ready(self, poller: "select.poll") -> None:
        """Ask a poll for what can be carried now."""
        wanted: dict[int, int] = {}
        for pump in self.pumps:
            if self._held and self.master in (pump.source, pump.target):
                continue
            if pump.buffer and pump.own_target:
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

    def drain(self) -> None:
        """Carry the rest: everything inside has ended."""
        for pump in self.pumps:
            if not pump.own_target:
                os.set_blocking(pump.source, False)
                _drain(pump)

    def suspend(self) -> None:
        """Give the terminal to another process for a while: nothing is carried to it or from it.

        What the command has shown by now is shown first, so that a question stands below it.
        """
        if not self._held:
            self._show()
        self._held = True
        if self._restore is not None:
            self._set(self._restore)

    def _show(self) -> None:
        """Carry what the inner terminal holds, up to a bound."""
        for pump in self.pumps:
            if pump.source == self.master:
                for _ in range(0 if pump.ended else SHOWN):
                    pump.read()

    def resume(self) -> None:
        """Take the terminal back."""
        if self._held and self._raw is not None:
            self._set(self._raw)
        self._held = False

    def _set(self, attributes: "Attributes") -> None:
        import termios

        termios.tcsetattr(self.terminal, termios.TCSADRAIN, attributes)

    def restore(self) -> None:
        """Put the caller's terminal back as it was, with no answer to what the command asked it."""
        if self._restore is None:
            return
        import termios

        queries = self._queries
        asked = queries is not None and queries.asked and not self._held
        if queries is not None and asked:
            queries.settle(self.terminal, self._screen)
        when = termios.TCSAFLUSH if asked else termios.TCSADRAIN
        termios.tcsetattr(self.terminal, when, self._restore)
        self._restore = None

    def close(self) -> None:
        """Give the terminal back, and close what is left of the run's own descriptors."""
        self.restore()
        for pump in self.pumps:
            if pump.closes:
                os.close(pump.target)
            elif not pump.own_target and pump.source != self.master:
                os.close(pump.source)
        if self.master >= 0:
            os.close(self.master)


def _drain(pump: Pump) -> None:
    while not pump.ended:
        try:
            data = os.read(pump.source, CHUNK)
        except OSError:
            break
        if not data:
            break
        pump.take(data)


def _state(fd: int) -> os.stat_result | None:
    try:
        return os.fstat(fd)
    except OSError:
        return None


def _is_terminal(fd: int) -> bool:
    return _state(fd) is not None and os.isatty(fd)


def _in_background(terminal: int) -> bool:
    try:
        return os.tcgetpgrp(terminal) != os.getpgrp()
    except OSError:  # it controls no process of this session, so that there is no background
        return False


def _is_null(state: os.stat_result) -> bool:
    return stat.S_ISCHR(state.st_mode) and state.st_rdev == os.stat(os.devnull).st_rdev
