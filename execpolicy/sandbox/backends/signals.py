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
OWN = (10, 12)
"""SIGUSR1 and SIGUSR2 on the machines that there is a filter for (signal(7)). They mean what a
program makes of them, and end each that makes nothing of them: none but the command gets them."""
MAX_PROCESSES = 4096
_KILL = 9
"""SIGKILL (signal(7))."""


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

    def held(self) -> "Held":
        """Hold back what arrives, around a fork."""
        return Held(tuple(self._former))

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


class Held:
    """Signals that wait until it is left."""

    __slots__ = ("_before", "_numbers")

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


def send(init: int, number: int, *, shim: bool = False) -> bool:
    """Send a signal to the command whose sandbox has this first process; whether one was there.

    All that runs below it gets the signal too, as from a terminal, but for those of `OWN`. `shim`:
    the command runs below a shell that waits for it, and gets none.
    """
    found = _children(init)[shim:]
    if number in OWN:
        del found[1:]
    _kill_all(found, number)
    return bool(found)


def pause(init: int) -> None:
    """Stop all that has this first process above it."""
    _kill_all(_children(init), _signal.SIGSTOP)


def go_on(init: int) -> None:
    """Have it go on, those first that others wait for."""
    _kill_all(_children(init)[::-1], _signal.SIGCONT)


def carry_on(process: int) -> None:
    """Have one process go on."""
    _kill_all([process], _signal.SIGCONT)


def stop_here(whole_group: bool) -> None:
    """Stop this process as the terminal stops it, and return when it goes on.

    Where nobody is there to have it go on, the kernel does not stop it (setpgid(2), orphaned).
    """
    former = _signal.getsignal(_signal.SIGTSTP)
    if former is _signal.SIG_IGN:
        return
    _signal.signal(_signal.SIGTSTP, _signal.SIG_DFL)
    os.kill(0 if whole_group else os.getpid(), _signal.SIGTSTP)
    _signal.signal(_signal.SIGTSTP, former)


def shim_of(init: int) -> int:
    """The number of the shell that the command runs below; 0 where there is none yet."""
    return next(iter(_children_of(init)), 0)


def is_stopped(process: int) -> bool:
    """Whether a process is stopped (proc_pid_stat(5))."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return False


def _kill_all(found: "list[int]", number: int) -> None:
    for process in found:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            continue


def end(process: int) -> None:
    """Kill a process with all that is below it by now.

    bubblewrap asks the kernel to be killed with its parent only when it has begun.
    """
    _kill_all([*_children(process), process], _KILL)


def _children(process: int) -> "list[int]":
    """The processes below one, nearest first (proc_pid_task_children(5))."""
    found: list[int] = []
    waiting = [process]
    while waiting and len(found) < MAX_PROCESSES:
        children = _children_of(waiting.pop(0))
        found += children
        waiting += children
    return found


def _children_of(parent: int) -> "list[int]":
    try:
        with open(f"/proc/{parent}/task/{parent}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []
