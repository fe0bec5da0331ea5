"""A part of a command in a process of its own: what it leaves running keeps no other one waiting.

A part has what a shim has: it is told of signals, and tells its code once.
"""

import os
import select
import sys
from collections.abc import Callable

from execpolicy.wrap.command_sandbox import Ends
from execpolicy.wrap.namespaces import die_with_parent


class Apart:
    """A process that runs a part. Of the two ends of a `pipe` it reads the first."""

    def __init__(self, run: Callable[[Ends], int], pipe: tuple[int, ...] = ()) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        told, tells = os.pipe()
        takes, self._signals = os.pipe()
        self._told = told
        self._child = os.fork()
        if self._child == 0:
            os.close(told)
            os.close(self._signals)
            _become(run, takes, tells, pipe)
        os.close(takes)
        os.close(tells)

    def code(self, ends: Ends) -> int:
        """Wait for its code, and pass on the signals that come meanwhile."""
        poller = select.poll()
        poller.register(self._told, select.POLLIN)
        poller.register(ends.fd, select.POLLIN)
        while self._told not in {fd for fd, _ in poller.poll()}:
            numbers = ends.signals()
            if numbers is None:
                poller.unregister(ends.fd)
                self._release()
            elif numbers:
                os.write(self._signals, numbers)
        said = os.read(self._told, 1)
        os.close(self._told)
        return said[0] if said else 137

    def outlast(self) -> None:
        """Wait until nothing of it lives."""
        self._release()
        os.waitpid(self._child, 0)

    def _release(self) -> None:
        if self._signals >= 0:
            os.close(self._signals)
            self._signals = -1


def _become(run: Callable[[Ends], int], takes: int, tells: int, pipe: tuple[int, ...]) -> None:
    """Run the part in the child; never returns."""
    code, told = 125, False

    def signals() -> bytes | None:
        return os.read(takes, 64) or None

    def ended(code: int) -> None:
        nonlocal told
        if not told:
            told = True
            os.write(tells, bytes((code & 0xFF,)))
            os.close(tells)

    try:
        die_with_parent()
        if pipe:
            os.dup2(pipe[0], 0)
        for end in pipe:
            os.close(end)
        code = run(Ends(takes, signals, ended))
    finally:
        ended(code)
        os._exit(0)
