"""Hands signals on to what runs inside, and stops and goes on with it as a job of a shell does."""

import os

from execpolicy.sandbox.backends import process_tree
from execpolicy.sandbox.backends.process_tree import CONTINUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable

    from execpolicy.sandbox.backends.streams.streams import Streams
else:
    import _signal

_STOP_TYPED, _WINDOW_CHANGED = 20, 28
"""SIGTSTP and SIGWINCH on the machines that there is a filter for (signal(7))."""


class Delivery:
    """The run that signals are for: its process here, and the first one inside once it is there.

    `init` gives that one's number, 0 while there is none. `direct`: there is nothing inside, the
    child is the command itself. `received` is the first signal that counts as the end of a command
    that has no code of its own.
    """

    def __init__(
        self, child: int, init: "Callable[[], int]", streams: "Streams", *, direct: bool
    ) -> None:
        self._child, self._init, self._streams, self._direct = child, init, streams, direct
        self.received = 0

    def deliver(self, numbers: bytes) -> None:
        """Do what the signals that arrived ask for."""
        for number in numbers:
            if number == _WINDOW_CHANGED:
                self._streams.resize()
            elif number == _STOP_TYPED:
                self._pause()
            elif number == CONTINUE:
                if not self._streams.terminal:
                    process_tree.go_on(self._top())
            else:
                self.received = self.received or number
                self._send(number)

    def tick(self, *, stops: bool) -> None:
        """Look after the terminal. `stops`: stop where the command on it has been stopped."""
        if self._streams.terminal:
            self._streams.terminal.settle()
        if self._direct or not stops or not self._init():
            return
        shim = process_tree.shim_of(self._init())
        if shim and process_tree.is_stopped(shim):
            self._stop_here(whole_group=True)
            process_tree.carry_on(shim)

    def _send(self, number: int) -> None:
        shim = self._streams.terminal is not None
        if self._direct:
            os.kill(self._child, number)
        elif not self._init() or not process_tree.send(self._init(), number, shim=shim):
            process_tree.end(self._child)  # the command has not begun

    def _top(self) -> int:
        """The process below which the command runs."""
        return self._child if self._direct else self._init() or self._child

    def _pause(self) -> None:
        """Stop with all that runs inside, as a job of a shell is stopped."""
        process_tree.pause(self._top())
        self._stop_here(whole_group=False)
        process_tree.go_on(self._top())

    def _stop_here(self, *, whole_group: bool) -> None:
        terminal = self._streams.terminal
        self._streams.show()
        if terminal:
            terminal.release()
        _stop(whole_group)
        if terminal:
            terminal.settle()
            self._streams.resize()


def _stop(whole_group: bool) -> None:
    """Stop this process as the terminal stops it, and return when it goes on.

    Where no process is there to have it go on, the kernel does not stop it (setpgid(2), orphaned).
    """
    former = _signal.getsignal(_signal.SIGTSTP)
    if former is _signal.SIG_IGN:
        return
    _signal.signal(_signal.SIGTSTP, _signal.SIG_DFL)
    os.kill(0 if whole_group else os.getpid(), _signal.SIGTSTP)
    _signal.signal(_signal.SIGTSTP, former)
