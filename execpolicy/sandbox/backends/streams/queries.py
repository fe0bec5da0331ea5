"""Questions that a program puts to a terminal, and answers that no program reads any more.

A terminal types its answers (xterm's ctlseqs.html: device status, attributes, colours, sizes). One
that comes after the program has ended would be typed into the user's shell.
"""

import os
import select
from time import monotonic

FENCE = b"\x1b[c"
"""Asks for the attributes of the device, which every terminal tells, after all that was asked."""
SECONDS = 0.25
"""How long the answer to that may take."""
MAX_SPLIT = 64
"""Bytes of a question that the end of one piece of output may hold."""
_ASKS = (
    rb"\x05|\x1b(?:Z|\[[0-9;>?=]*(?:[cnx]|\$p)|\[>[0-9]*q|\[\?u|\[(?:1[1-9]|2[01])[0-9;]*t"
    rb"|\][0-9;]+[^\x07\x1b]*\?|P[+$]q)"
)
_TOLD = rb"\x1b\[\?[0-9;]*c"


class Queries:
    """Whether what was written to a terminal asked it anything."""

    def __init__(self) -> None:
        self.asked = False
        self._last = b""

    def see(self, data: bytes) -> None:
        """Take in a piece of output."""
        if self.asked:
            return
        text = self._last + data
        self._last = text[-MAX_SPLIT:]
        if b"\x1b" in text or b"\x05" in text:
            import re

            self.asked = re.search(_ASKS, text) is not None

    def settle(self, read: int, write: int) -> None:
        """Take what the terminal has yet to type in answer; it is in raw mode."""
        import re

        poller, text, ends = select.poll(), b"", monotonic() + SECONDS
        poller.register(read, select.POLLIN)
        try:
            os.write(write, FENCE)
            while not re.search(_TOLD, text) and (left := ends - monotonic()) > 0:
                if poller.poll(left * 1000):
                    text = text[-MAX_SPLIT:] + (os.read(read, 4096) or b"\x1b[?c")
        except OSError:  # the terminal is gone
            return
