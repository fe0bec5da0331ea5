"""Signals of a run: those that come to the launcher are given to the command."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from types import FrameType
    from typing import Self

    Handler = Callable[[int, FrameType | None], object] | int | None
else:
    import _signal

FORWARDED = (
    *("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH"),
    *("SIGTSTP", "SIGCONT"),
)


class Signals:
    """What arrives while it is open, as bytes of a pipe, so that a poll sees it."""

    def __init__(self) -> None:
        self.fd, self._write = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._write, False)
        self._wakeup = _signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._former: dict[int, Handler] = {}
        for name in FORWARDED:
            number = getattr(_signal, name)
            if _signal.getsignal(number) is not _signal.SIG_IGN:
                self._former[number] = _signal.signal(number, _note)

    def held(self) -> "HeldSignals":
        """Hold back what arrives, around a fork."""
        return HeldSignals(tuple(self._former))

    def arrived(self) -> bytes:
        """The numbers of the signals that arrived since the last call."""
        try:
            return os.read(self.fd, 256)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        """Put back what was there before."""
        for number, former in self._former.items():
            _signal.signal(number, former)
        _signal.set_wakeup_fd(self._wakeup)
        os.close(self.fd)
        os.close(self._write)


class HeldSignals:
    """Signals that wait until it is left."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self._numbers = numbers
        self._before: set[int] = set()

    def __enter__(self) -> "Self":
        self._before = _signal.pthread_sigmask(_signal.SIG_BLOCK, self._numbers)
        return self

    def forget(self) -> None:
        """In the child: they do what they do to any process, and only what was blocked is."""
        for number in self._numbers:
            _signal.signal(number, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, self._before)

    def __exit__(self, *_error: object) -> None:
        _signal.pthread_sigmask(_signal.SIG_SETMASK, self._before)


def _note(number: int, frame: object) -> None:
    """The signal is in the pipe already; Python only needs something to call."""


def default() -> None:
    """In a child: nothing is blocked."""
    _signal.pthread_sigmask(_signal.SIG_SETMASK, [])
