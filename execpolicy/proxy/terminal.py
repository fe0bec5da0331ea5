"""Puts the questions of a proxy on a terminal, one after the other.

The proxy asks in its own thread or loop; the owner of the terminal watches two descriptors: `wake`
always, that of the terminal while a question is `open`. So the terminal is read in one place only,
and what is typed to a command never answers a question.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable

from execpolicy.model.errors import printable
from execpolicy.policy.network_hosts import Attempt, Ruling
from execpolicy.proxy.question import Offered, ProxyAnswer, TypedAnswer, text, understood

Offer = Callable[[Attempt, Ruling], Offered]
Take = Callable[[Attempt, TypedAnswer], ProxyAnswer | str]

CHUNK = 4096
BEHIND = "this is in the background, where the user cannot be asked"
ENDED = b"\nexecpolicy: the command has ended: do not answer any more\n"
PLAIN = b"\x1b[0m\x1b(B"
"""Ends colours and character sets (ECMA-48, SGR and designation of ASCII): what ran before may have
left the terminal so that a question cannot be read."""


class _Asked:
    """One question on its way. `over`: the answer is not waited for any more."""

    def __init__(
        self, attempt: Attempt, ruling: Ruling, future: asyncio.Future[ProxyAnswer]
    ) -> None:
        self.attempt, self.ruling, self.future = attempt, ruling, future
        self.over = False


class Terminal:
    """Questions about hosts for the user at a terminal.

    `offer` tells what may be answered. `take` makes an answer of what was typed and keeps it as
    long as it holds, or says why that cannot be; then the question is put again. Both are called
    where the terminal is watched. `who` is shown as the asker.
    """

    def __init__(self, who: str, offer: Offer, take: Take, read: int = 0, write: int = 2) -> None:
        self.read, self._write = read, write
        self.wake, self._waker = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(self._waker, False)
        self._who, self._offer, self._take = who, offer, take
        self._queue: deque[_Asked] = deque()
        self._current: _Asked | None = None
        self._offered = Offered()

    # The proxy's side.

    async def ask(self, attempt: Attempt, ruling: Ruling) -> ProxyAnswer:
        """The answer of the user. Cancelled, the question is taken back."""
        asked = _Asked(attempt, ruling, asyncio.get_running_loop().create_future())
        self._queue.append(asked)
        self._knock()
        try:
            return await asked.future
        finally:
            asked.over = True
            self._knock()

    def _knock(self) -> None:
        try:
            os.write(self._waker, b"\n")
        except OSError:  # it is full, so that it wakes anyway; or closed, so that no owner is left
            return

    # The side of the terminal's owner.

    @property
    def open(self) -> bool:
        """Whether a question is on the terminal."""
        return self._current is not None

    @property
    def in_front(self) -> bool:
        """Whether this process may read from its terminal."""
        try:
            return os.tcgetpgrp(self.read) == os.getpgrp()
        except OSError:
            return False

    @property
    def waiting(self) -> bool:
        """Whether a question is to be put, or one on the terminal to be taken back."""
        self._forget()
        return bool(self._queue) if self._current is None else self._current.over

    def woken(self) -> None:
        """Take what `wake` holds."""
        try:
            while os.read(self.wake, CHUNK):
                pass
        except BlockingIOError:
            return

    def turn(self) -> None:
        """Take back a question that is not waited for any more, and put the next one.

        In the background no question is asked, and everything that waits is refused.
        """
        if self._current is not None and self._current.over:
            self._say(b"\nexecpolicy: this is not waited for any more\n")
            self._current = None
        self._forget()
        if self._current is None and self._queue and not self.in_front:
            self._refuse(BEHIND)
        if self._current is None and self._queue:
            self._current = self._queue.popleft()
            self._offered = self._offer(self._current.attempt, self._current.ruling)
            self._flush()
            self._put()

    def typed(self) -> None:
        """Read the line that is there, and give it to those who wait."""
        try:
            data = os.read(self.read, CHUNK)
        except OSError:  # the terminal is gone
            data = b""
        current = self._current
        if current is None:
            return
        said = (
            understood(data.decode("utf-8", "replace"), self._offered)
            if data
            else TypedAnswer("no")
        )
        answer = "" if said is None else self._take(current.attempt, said)
        if isinstance(answer, str):
            self._say(f"execpolicy: {printable(answer, 400)}\n".encode() if answer else b"")
            self._put()
            return
        self._current = None
        self._answer(current, answer)

    def close(self) -> None:
        """End: a question on the terminal is taken back, and what was typed so far forgotten."""
        if self._current is not None:
            self._say(ENDED)
            self._flush()
            self._current = None
        os.close(self.wake)
        os.close(self._waker)

    def _refuse(self, why: str) -> None:
        """Answer everything that waits without the user: no question can be asked now."""
        while self._queue:
            self._answer(self._queue.popleft(), ProxyAnswer(allowed=False, why=why, by_user=False))

    def _forget(self) -> None:
        while self._queue and self._queue[0].over:
            self._queue.popleft()

    def _answer(self, asked: _Asked, answer: ProxyAnswer) -> None:
        def settle() -> None:
            if not asked.future.done():
                asked.future.set_result(answer)

        try:
            asked.future.get_loop().call_soon_threadsafe(settle)
        except RuntimeError:  # the proxy has ended
            return

    def _put(self) -> None:
        assert self._current is not None  # noqa: S101
        shown = text(self._current.attempt, self._current.ruling, self._who, self._offered)
        self._say(PLAIN + b"\n" + shown.encode("utf-8", "backslashreplace"))

    def _flush(self) -> None:
        """Forget what was typed and not read."""
        import termios

        try:
            termios.tcflush(self.read, termios.TCIFLUSH)
        except termios.error:
            return

    def _say(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._write, data) :]
        except OSError:
            return
