"""A terminal of a run's own, in the place of the caller's: nothing inside can type into that.

What is typed goes to the terminal inside, which makes lines and signals of it. Where standard
input or output is none, other programs of a pipeline may be on the caller's terminal too: that goes
on making its own signals and line ends then. Where standard input is none, one of them may be
reading the keyboard: it is read here only while a program inside has a mode of its own, as a pager.
"""

import fcntl
import os
import termios

from execpolicy.sandbox.backends.streams.queries import Queries

Attributes = list[int | list[bytes | int]]
Standard = tuple[int, int, int]

_INPUT, _OUTPUT, _LOCAL, _CHARACTERS = 0, 1, 3, 6
"""Places in what `tcgetattr` gives (termios(3))."""

_LINES = termios.ICANON | termios.ECHO


class Terminal:
    """The terminal inside, and the caller's. `given` are the caller's standard descriptors.

    `keyboard` is read and `screen` written; `reads` says whether the keyboard is this run's now,
    `held` that the terminal is another's for a while.
    """

    def __init__(self, given: "Standard") -> None:
        are = [is_terminal(fd) for fd in given]
        self.outer = given[are.index(True)]
        self.master, self.slave = os.openpty()
        os.set_blocking(self.master, False)
        self._own_keys, self._shared = are[0], not (are[0] and are[1])
        attributes = termios.tcgetattr(self.outer)
        self._first = attributes[_LOCAL] & _LINES
        if self._shared:
            attributes[_OUTPUT] &= ~termios.ONLCR
        termios.tcsetattr(self.slave, termios.TCSANOW, attributes)
        self.resize()
        self.screen = _written(given[are.index(True, 1)] if any(are[1:]) else given[0])
        self.keyboard = self.outer if (are[0] or are[1]) and _is_read(self.outer) else -1
        self.queries = Queries()
        self._restore: Attributes | None = None
        self._raw: Attributes | None = None
        self.held = self.reads = False
        self.settle()

    def carries(self, source: int, target: int) -> bool:
        """Whether what comes from one descriptor goes to another at this time."""
        if source == self.keyboard:
            return self.reads and not self.held
        return not self.held or self.master not in (source, target)

    def settle(self) -> None:
        """Take the keyboard, or give it back, as it is this run's now or not."""
        if self.held or self.keyboard < 0:
            return
        front = not _in_background(self.outer)
        wanted = front and (self._own_keys or self._has_own_mode())
        if wanted and not self.reads:
            self._take()
        elif wanted and self._shared:
            self._follow()
        elif self.reads and not wanted:
            if front:
                self.release()
            self.reads = False  # in the background the terminal is not this process's to change

    def release(self) -> None:
        """Put the caller's terminal back as it was."""
        if self.reads and self._restore is not None:
            self._set(self._restore)
        self.reads = False

    def _has_own_mode(self) -> bool:
        """Whether a program inside reads keys as they are typed, or without showing them."""
        inner = self._inner()
        return inner is not None and _flags(inner, _LOCAL) & _LINES != self._first

    def _inner(self) -> "Attributes | None":
        """The modes of the terminal inside; None where it was hung up."""
        try:
            return termios.tcgetattr(self.master)
        except (termios.error, ValueError):
            return None

    def _follow(self) -> None:
        """Leave alone in the caller's terminal what a program inside wants left alone."""
        inner, raw = self._inner(), self._raw
        if inner is None or raw is None:
            return
        output = _flags(raw, _OUTPUT) & ~termios.OPOST
        if not _flags(inner, _OUTPUT) & termios.ONLCR:  # else its line ends are made inside
            output |= _flags(inner, _OUTPUT) & termios.OPOST
        local = _flags(raw, _LOCAL) & ~termios.ISIG | _flags(inner, _LOCAL) & termios.ISIG
        if (output, local) != (raw[_OUTPUT], raw[_LOCAL]):
            raw[_OUTPUT], raw[_LOCAL] = output, local
            self._set(raw)

    def _take(self) -> None:
        """Have what is typed come as it is."""
        try:
            self._restore = termios.tcgetattr(self.outer)
        except termios.error:  # it was hung up: to read it tells so
            self.reads = True
            return
        raw = termios.tcgetattr(self.outer)
        raw[_INPUT] &= ~(termios.BRKINT | termios.ICRNL | termios.INLCR | termios.ISTRIP)
        raw[_LOCAL] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        if not self._shared:
            raw[_INPUT] &= ~termios.IXON
            raw[_OUTPUT] &= ~termios.OPOST
            raw[_LOCAL] &= ~termios.ISIG
        raw[_CHARACTERS][termios.VMIN], raw[_CHARACTERS][termios.VTIME] = 1, 0
        self._raw = raw
        self._set(raw)
        self.reads = True

    def _set(self, attributes: "Attributes") -> None:
        try:
            termios.tcsetattr(self.outer, termios.TCSADRAIN, attributes)
        except termios.error:  # it was hung up
            return

    def resize(self) -> None:
        """Give the inner terminal the size of the outer one."""
        try:
            size = fcntl.ioctl(self.outer, termios.TIOCGWINSZ, bytes(8))
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)
        except (OSError, ValueError):  # it was hung up
            return

    def hold(self) -> None:
        """Give the caller's terminal to another for a while, as it was."""
        if self.reads and self._restore is not None:
            self._set(self._restore)
        self.held = True

    def go_on(self) -> None:
        """Take it again."""
        if self.held and self.reads and self._raw is not None:
            self._set(self._raw)
        self.held = False

    def close(self) -> None:
        """Give the caller's terminal back, with no answer to what the command asked it."""
        if self.reads and not self.held and not _in_background(self.outer):
            if self.queries.asked:
                self.queries.settle(self.outer, self.screen)
                termios.tcflush(self.outer, termios.TCIFLUSH)
            self.release()
        if self.screen > 2:
            os.close(self.screen)
        self.hang_up()

    def hang_up(self) -> None:
        """Close the inner terminal's other side: what still has it open sees that it is gone."""
        if self.master >= 0:
            os.close(self.master)
            self.master = -1


def is_terminal(fd: int) -> bool:
    """Whether this is a descriptor of a terminal."""
    return os.isatty(fd)


def _flags(attributes: "Attributes", place: int) -> int:
    value = attributes[place]
    return value if isinstance(value, int) else 0


def _written(fd: int) -> int:
    """The same terminal, opened so that writing never waits: signals and limits would wait too.

    What is said about blocking in `fd` itself is said to every process that shares it.
    """
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        opened = os.open(f"/proc/self/fd/{fd}", flags)
    except OSError:  # another user's
        return fd
    made = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(opened)
    return made


def _is_read(fd: int) -> bool:
    return fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE != os.O_WRONLY


def _in_background(terminal: int) -> bool:
    try:
        return os.tcgetpgrp(terminal) != os.getpgrp()
    except OSError:  # it controls no process of this session, so that there is no background
        return False
