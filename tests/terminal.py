"""A program on a terminal of its own, and a user who reads and types there."""

import fcntl
import os
import select
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from tests.waiting import HANG_SECONDS


class Screen:
    """The user's side of a terminal. Each wait has a deadline, which only a hang meets."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.seen = b""

    def type(self, text: str) -> None:
        """Press keys: `\\x03` is Ctrl-C."""
        os.write(self.descriptor, text.encode())

    def until(self, text: str) -> str:
        """Read on until a text is shown, and past it; what was shown before it."""
        wanted, ends = text.encode(), time.monotonic() + HANG_SECONDS
        while wanted not in self.seen:
            assert self._read(ends), f"the terminal was closed before {text!r}: {self.seen!r}"
        before, _, self.seen = self.seen.partition(wanted)
        return before.decode()

    def until_done(self, text: str, answer: str, done: Callable[[], bool]) -> str:
        """Type an answer each time a text is shown, until something is done; what was shown."""
        wanted, shown, ends = text.encode(), b"", time.monotonic() + HANG_SECONDS
        while not done():
            if wanted in self.seen:
                before, _, self.seen = self.seen.partition(wanted)
                shown += before
                self.type(answer)
            elif select.select([self.descriptor], [], [], 0.05)[0]:
                self._read(ends)
            assert time.monotonic() < ends, f"nothing was done after {self.seen!r}"
        return shown.decode()

    def drain(self) -> None:
        """Read on until no program has the terminal open any more."""
        ends = time.monotonic() + HANG_SECONDS
        while self._read(ends):
            pass

    def _read(self, ends: float) -> bool:
        """Whether there is more to come."""
        left = ends - time.monotonic()
        assert left > 0, f"nothing more was shown after {self.seen!r}"
        if not select.select([self.descriptor], [], [], left)[0]:
            return True
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:  # Linux: the other side was closed
            return False
        self.seen += data
        return bool(data)


class Terminal(Screen):
    """A program with a terminal as its own. What it still does at the end is ended."""

    def __init__(
        self, words: Sequence[str], cwd: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        outer, inner = os.openpty()
        super().__init__(outer)
        try:
            self.process = subprocess.Popen(
                words,
                stdin=inner,
                stdout=inner,
                stderr=inner,
                cwd=cwd,
                env=environment,
                start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            )
        finally:
            os.close(inner)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """Hang up, as closing a window does."""
        os.close(self.descriptor)
        try:
            self.process.wait(HANG_SECONDS)
        finally:
            self.process.kill()
            self.process.wait()

    def end(self) -> int:
        """Read all that is still shown; the exit code."""
        self.drain()
        return self.process.wait(HANG_SECONDS)
