"""Which files the calls of a session made, by what is kept of these calls and by nothing else.

A file is the session's where all of its changes fell into calls of the session that name it, from
the one on that made it. Its earlier names count, and what stood at its name before. Where it is not
known what stood there, or who else was at work, it counts as the session's no more.
"""

import os
import re
import stat

from execpolicy.support.record import Value
from execpolicy.undo import entry
from execpolicy.undo.entry import CTIME, DIRECTORY, FILE, INODE
from execpolicy.undo.objects import LostError
from execpolicy.undo.scan import is_unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.undo.entry import Entry
    from execpolicy.undo.store import Manifest, Store

MAX_STEPS = 100
"""Changes of a file that are followed back."""


class FinishedCall(Value):
    """A call of which it is known when it was over."""

    manifest: "Manifest"
    ended: int


class SessionFiles:
    """The files of the session whose calls a store holds under a name."""

    __slots__ = ("_calls", "_session", "_store")

    def __init__(self, store: "Store", session: str) -> None:
        self._store, self._session = store, session
        self._calls: list[FinishedCall] | None = None

    def has(self, path: str) -> bool:
        """Whether the calls of the session made the file at an absolute path."""
        directory, name = os.path.split(path)
        place = f"{os.path.realpath(directory)}/{name}"
        root = f"{self._store.root}/"
        if not self._session or not place.startswith(root):
            return False
        try:
            state = os.lstat(place)
            if not stat.S_ISREG(state.st_mode) or state.st_nlink != 1:
                return False
            return self._is_made(place[len(root) :], entry.file(state, ""))
        except (OSError, LostError):
            return False

    def _is_made(self, path: str, one: "Entry") -> bool:
        waiting = [(path, one)]
        for _ in range(MAX_STEPS):
            if not waiting:
                return True
            path, one = waiting.pop()
            call = self._call_at(int(one[CTIME]), os.path.basename(path))
            if call is None:
                return False
            for earlier in self._before(call, path, int(one[INODE])):
                if earlier[1][0] != FILE or int(earlier[1][CTIME]) >= call.began:
                    return False
                waiting.append(earlier)
        return False

    def _call_at(self, time: int, name: str) -> "Manifest | None":
        """The first call that ran at a time, if all that did are the session's and name a file."""
        if self._calls is None:
            ends = ((one, self._store.ended(one.number)) for one in self._store.manifests())
            self._calls = [FinishedCall(one, ended) for one, ended in ends if ended is not None]
        found = [one.manifest for one in self._calls if one.manifest.began <= time <= one.ended]
        own = all(one.call.session == self._session and not one.call.undoes for one in found)
        word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")
        named = any(word.search(one.call.command) for one in found)
        return found[0] if found and own and named and found[0].whole else None

    def _before(self, call: "Manifest", path: str, inode: int) -> "Iterator[tuple[str, Entry]]":
        """What a file was before a call: what stood at its path, and itself by another name."""
        found: Entry | None = call.root
        for name in path.split("/"):
            found = self._store.listing(found).get(name)
            if is_unknown(found):
                break
        if found is not None:
            yield path, found
        if found is None or found[0] != FILE or found[INODE] != inode:
            yield from self._of_inode(inode, "", call.root)

    def _of_inode(self, inode: int, path: str, one: "Entry") -> "Iterator[tuple[str, Entry]]":
        for name, each in self._store.listing(one).items():
            inside = f"{path}/{name}" if path else name
            if each[0] == DIRECTORY:
                yield from self._of_inode(inode, inside, each)
            elif each[0] == FILE and each[INODE] == inode:
                yield inside, each
