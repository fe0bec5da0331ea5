"""The process of a session that takes its snapshots: one that stays knows what was touched since
the last, and need not read the project again.

Workers ask it by a socket that all of them have, each with a socket of its own for the answers: a
number when the snapshot is there, and how many files were removed when the call is over.
"""

import marshal
import os
import select
import socket
from _collections_abc import Callable

from execpolicy.support.record import Value
from execpolicy.undo.removed import removed
from execpolicy.undo.store import RecordedCall, Store, Taken
from execpolicy.wrap.kept.watch import ProjectWatch
from execpolicy.wrap.namespaces import Namespaces, die_with_parent

Take = Callable[[Store, RecordedCall], tuple[Taken | None, str, str]]
"""Takes a snapshot; why there is none, or not a whole one, and what is to be told of that."""

MAX_REQUEST = 1 << 16
END = b"."


class KeptSnapshot(Value):
    """What a worker is told: the number, 0 where there is none, whether all is held, and why not.

    `said` is what the user is to be told. `link` is where the end of the call is told.
    """

    number: int
    whole: bool
    why: str
    said: str
    link: socket.socket

    def end(self) -> int:
        """Tell that the call is over; how many files it removed. Raises `OSError`."""
        with self.link:
            self.link.send(END)
            return int(self.link.recv(20) or b"0")


class SnapshotKeeper:
    """The keeper of the project at `root`, as workers have it."""

    def __init__(self, link: socket.socket, root: str) -> None:
        self._link, self.root = link, root

    def take(self, call: RecordedCall) -> KeptSnapshot:
        """Have a snapshot taken. Raises `OSError` where the keeper does not answer."""
        mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with its:
                data = marshal.dumps(tuple(getattr(call, name) for name in RecordedCall.__fields__))
                socket.send_fds(self._link, [data], [its.fileno()])
            answer = mine.recv(MAX_REQUEST)
            if not answer:
                raise OSError("the keeper of snapshots has ended")
            number, whole, why, said = marshal.loads(answer)  # noqa: S302 - of our own process
            return KeptSnapshot(number, whole, why, said, mine)
        except BaseException:
            mine.close()
            raise


def start(store: "Store", namespaces: Namespaces, take: "Take") -> SnapshotKeeper:
    """Start the keeper of a store, for this process and those that it starts."""
    outer, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        try:
            outer.close()
            die_with_parent()
            namespaces.release()
            store.watch = watch = ProjectWatch(store.root)
            _Keeper(inner, store, watch, take).serve()
        finally:
            os._exit(0)
    inner.close()
    return SnapshotKeeper(outer, store.root)


class _Keeper:
    def __init__(
        self, link: socket.socket, store: "Store", watch: ProjectWatch, take: "Take"
    ) -> None:
        self._link, self._store, self._watch, self._take = link, store, watch, take
        self._calls: dict[int, tuple[socket.socket, Taken | None]] = {}
        self._poller = select.poll()
        self._poller.register(link, select.POLLIN)

    def serve(self) -> None:
        """Answer until no worker is left."""
        while True:
            for fd, _ in self._poller.poll():
                if fd != self._link.fileno():
                    self._ended(fd)
                elif not self._begun():
                    return

    def _begun(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._link, MAX_REQUEST, 1)
        if not data:
            return False
        link = socket.socket(fileno=descriptors[0])
        taken, why, said = self._take(self._store, RecordedCall(*marshal.loads(data)))  # noqa: S302
        number = taken.manifest.number if taken else 0
        whole = taken is not None and taken.manifest.whole
        self._calls[link.fileno()] = link, taken
        self._poller.register(link, select.POLLIN)
        _send(link, marshal.dumps((number, whole, why, said)))
        return True

    def _ended(self, fd: int) -> None:
        """Note the end of a call, unless who ran it has ended without a word."""
        link, taken = self._calls.pop(fd)
        self._poller.unregister(fd)
        with link:
            if link.recv(1) != END:
                return
            count = 0
            if taken is not None:
                self._store.end(taken.manifest)
                known = self._watch.removed()
                found = removed(self._store.root, taken.scan.found) if known is None else known
                count = found
            _send(link, b"%d" % count)


def _send(link: socket.socket, data: bytes) -> None:
    try:
        link.send(data, socket.MSG_NOSIGNAL)
    except OSError:
        return
