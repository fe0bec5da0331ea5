"""Signals of a run: those that come to the launcher are given to the command."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
    from types import FrameType

    Handler = Callable[[int, FrameType | None], object] | int | None
else:
    import _signal

FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH")
MAX_PROCESSES = 4096


class Signals:
    """What arrives while it is open, as bytes of a pipe, so that a poll sees it."""

    __slots__ = ("_former", "_wakeup", "_write", "fd")

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


def _note(number: int, frame: object) -> None:
    """The signal is in the pipe already; Python only needs something to call."""


def send(init: int, number: int) -> bool:
    """Send a signal to the command whose sandbox has this first process; whether one was there.

    All that runs below it gets the signal too, as from a terminal.
    """
    found = _children(init)
    for process in found:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            continue
    return bool(found)


def _children(process: int) -> "list[int]":
    """The processes below one, nearest first (proc_pid_task_children(5))."""
    found: list[int] = []
    waiting = [process]
    while waiting and len(found) < MAX_PROCESSES:
        parent = waiting.pop(0)
        try:
            with open(f"/proc/{parent}/task/{parent}/children") as file:
                children = [int(word) for word in file.read().split()]
        except OSError:
            continue
        found += children
        waiting += children
    return found
