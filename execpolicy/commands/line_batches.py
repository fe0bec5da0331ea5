"""Lines as they come: those of one batch were all there before the first of them is answered."""

from collections.abc import Iterator
from io import BufferedIOBase

CHUNK_BYTES = 65_536
"""What is read at once: as much as a pipe holds (pipe(7))."""
MAX_LINES = 256
"""Lines of one batch: who waits for the first answer is not to wait for all of a file."""


def batches(stream: BufferedIOBase, max_bytes: int) -> Iterator[list[bytes | None]]:
    """The lines of a stream without their ends, in batches of those that one read gave.

    None stands for a line of more than `max_bytes`, of which nothing is kept. The last line may
    have no end.
    """
    begun = _Begun(max_bytes)
    while chunk := stream.read1(CHUNK_BYTES):
        first, *others = chunk.split(b"\n")
        begun.add(first)
        if others:
            whole = (line if len(line) <= max_bytes else None for line in others[:-1])
            lines = [begun.take(), *whole]
            begun.add(others[-1])
            for start in range(0, len(lines), MAX_LINES):
                yield lines[start : start + MAX_LINES]
    yield [begun.take()]


class _Begun:
    """A line whose end was not read yet."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Some more of the line."""
        self._size += len(piece)
        if self._size <= self._max_bytes:
            self._pieces.append(piece)
        else:
            self._pieces.clear()

    def take(self) -> bytes | None:
        """The whole line, and another begins."""
        line = b"".join(self._pieces) if self._size <= self._max_bytes else None
        self._pieces, self._size = [], 0
        return line
