"""How much the `/tmp` of a session holds: it lies on a disk, where no mount limits its size."""

import os
from _collections_abc import Iterator
from time import monotonic

MAX_BYTES = 8 << 30
"""The limit where the rules set none."""
PAUSE, SHARE = 1.0, 50
"""Seconds between two looks, and how many times longer than a look the pause is at least."""
_NEVER = float("inf")
_BLOCK = 512
"""Bytes of a block of `stat`, and what an entry counts that has none."""


class Room:
    """Watches a directory that a run is going to write, or has written since a time. One that was
    too full before that may not grow."""

    def __init__(self, path: str, most: int | None, since: float = _NEVER) -> None:
        self._path = path
        began = monotonic()
        self._most = max(most or MAX_BYTES, used(path, since))
        self._wait(began)

    def exceeded(self) -> bool:
        """Look again, if that is due; whether there is more than may be."""
        began = monotonic()
        if began < self.due:
            return False
        found = used(self._path) > self._most
        self._wait(began)
        return found

    def _wait(self, began: float) -> None:
        now = monotonic()
        self.due = now + max(PAUSE, SHARE * (now - began))


def used(path: str, before: float = _NEVER) -> int:
    """The bytes that all below a directory take on the disk, as far as it can be looked at and was
    not changed since a time: no call sets that of a file's last change back (inode(7))."""
    return sum(_sizes(path, before))


def _sizes(path: str, before: float) -> "Iterator[int]":
    waiting = [path]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    state = entry.stat(follow_symlinks=False)
                    if state.st_ctime < before:
                        yield max(state.st_blocks, 1) * _BLOCK
        except OSError:  # removed meanwhile, or closed to everybody
            continue
