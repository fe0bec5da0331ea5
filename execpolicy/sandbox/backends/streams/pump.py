"""Carries bytes between a stream of the caller and the one that stands for it inside."""

import os
import select
from _collections_abc import Callable

CHUNK = 1 << 16
LAST = 1 << 13
"""Bytes of what was carried that are kept."""
AT_ONCE = 4096
"""Bytes that a pipe takes without waiting where it is ready at all (PIPE_BUF of pipe(7))."""


class Pump:
    """Carries bytes from one descriptor to another. `own_target`: that one is the run's.

    `see` is given what is carried. `failed` is why the target takes nothing any more. `keeps`: the
    target is to hold all that it is given, so that it is a loss if it does not. `last` is the end
    of what was carried.
    """

    keeps = True

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
        self.buffer = self.last = b""
        self.ended = False
        self.failed = ""

    def taken(self) -> bytes:
        """What the source has now. Raises `OSError`."""
        return os.read(self.source, CHUNK)

    def given(self) -> int:
        """Give the target what it takes now; how many bytes. Raises `OSError`."""
        return os.write(self.target, self.buffer)

    def read(self) -> None:
        """Take what is there, as the source is ready."""
        try:
            data = self.taken()
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
        self.last = (self.last + data)[-LAST:]
        self.buffer += data
        self.write()

    def write(self) -> None:
        """Give on what is held back."""
        try:
            while self.buffer:
                self.buffer = self.buffer[self.given() :]
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
        """Close the run's end of a pipe that is read here: the command sees that none reads."""
        if self.source >= 0:
            os.close(self.source)
            self.source = -1

    def drain(self, stop: int) -> None:
        """Carry until nothing comes any more, waiting for a target that is slow; what comes from
        `stop` breaks it off."""
        os.set_blocking(self.source, False)
        poller = select.poll()
        poller.register(self.target, select.POLLOUT)
        if stop >= 0:
            poller.register(stop, select.POLLIN)
        while True:
            if self.buffer:
                if any(fd == stop for fd, _ in poller.poll()):
                    return
                self.write()
                continue
            try:
                data = b"" if self.ended else os.read(self.source, CHUNK)
            except OSError:
                return
            if not data:
                return
            self.take(data)

    def give_back(self, pipe: int) -> None:
        """Put a file back to where the command stopped reading it from the pipe."""
        import fcntl
        import termios

        unread = int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), "little")
        try:
            os.lseek(self.source, -unread - len(self.buffer), os.SEEK_CUR)
        except OSError:  # it has no places
            return


class ToPipe(Pump):
    """Carries what goes to a pipe, of which the command alone is told that it was closed."""

    keeps = False

    def given(self) -> int:
        """Give the pipe what it takes without waiting; how many bytes. Raises `OSError`."""
        poller = select.poll()
        poller.register(self.target, select.POLLOUT)
        if not poller.poll(0):
            raise BlockingIOError
        return os.write(self.target, self.buffer[:AT_ONCE])
