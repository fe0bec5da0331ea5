"""How the processes above this one were started, as `/proc` tells: on Linux only (proc(5))."""

import os
from _collections_abc import Iterator

_GENERATIONS = 8
_LONGEST = 1 << 20


def above() -> "Iterator[list[str]]":
    """The words of each process that this one comes from, the nearest first."""
    process = os.getppid()
    for _ in range(_GENERATIONS):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read(_LONGEST).decode(errors="replace").split("\0")
            with open(f"/proc/{process}/stat", "rb") as file:
                process = int(file.read(4096).rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return
        yield words
