"""The policies that a server has loaded, and one turn of it: what was there is decided together.

A policy is kept under the content of all files that it is made of, which are read once in each turn
for each directory that is asked about. So there is no moment at which an older one could answer: a
file that changed is another policy.
"""

import os

from execpolicy.engine.engine import Engine
from execpolicy.places.disk import Disk
from execpolicy.store import histories
from execpolicy.store.log_file import Held
from execpolicy.store.repeat.resident import Replies
from execpolicy.store.store import ingredients

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from execpolicy.engine.engine import Approvals
    from execpolicy.engine.memory.recent import Together
    from execpolicy.serve.inputs import Process
    from execpolicy.store.sources.layers import Found
    from execpolicy.store.sources.settings import Settings

    Mark = tuple[Found | None, Settings]

MAX_ENGINES = 8
"""Policies that are kept. Beyond, the one that was not asked for longest is loaded again."""


class Engines:
    """The policies that were asked lately, by what they are made of. For one thread."""

    def __init__(self, most: int = MAX_ENGINES) -> None:
        self._most = most
        self._kept: dict[Mark, Engine] = {}
        self.replies = Replies()

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, cwd: str) -> Engine:
        """The policy for a directory, by the files as they are now."""
        mark: Mark = ingredients(cwd)
        engine = self._kept.pop(mark, None)
        if engine is None:
            engine = Engine.load(cwd=cwd)
            mark = engine.store.made_of
        self._kept[mark] = engine
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
        return engine

    def forget(self) -> None:
        """Load each anew when it is asked for: the shipped rules are others."""
        self._kept.clear()


class Turn:
    """What requests share that were all there before the first of them is decided.

    A context: nothing may be answered before it has ended (`places.moment` has the rule).
    """

    def __init__(self, engines: Engines) -> None:
        self.log = Held()
        self.engines = engines
        self._of: dict[tuple[str, tuple[tuple[str, str], ...]], Engine] = {}
        self._disks: dict[Process, Disk] = {}
        self._together: dict[tuple[int, Process], Together] = {}

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_error: object) -> None:
        for together in self._together.values():
            together.__exit__()
        self.log.write()

    def engine(
        self, process: "Process", cwd: str, *, audit: bool, approvals: "Approvals | None"
    ) -> "tuple[Engine, Together]":
        """The policy for a directory, as a process asks for it that this thread stands in for."""
        where = cwd, process.values
        kept = self._of.get(where)
        if kept is None:
            kept = self._of[where] = self.engines.of(cwd)
        disk = self._disks.get(process)
        if disk is None:
            disk = self._disks[process] = Disk(kept=lambda: histories)
        engine = kept.beside(disk, audit=audit, approvals=approvals)
        key = id(kept), process
        together = self._together.get(key)
        if together is None:
            together = self._together[key] = engine.together()
            together.log = self.log
        return engine, together


def code_stamp(directory: str) -> int:
    """What changes when a file of a package does: its code, or the rules that it ships."""
    stamp = 0
    for at, folders, files in os.walk(directory):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in files:
            try:
                status = os.stat(os.path.join(at, name))
            except OSError:
                continue
            stamp ^= hash((at, name, status.st_mtime_ns, status.st_size, status.st_ino))
    return stamp
