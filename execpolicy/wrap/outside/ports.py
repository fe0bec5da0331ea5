"""The ports that commands of a session open: each is told once, with what publishes it."""

import os
from _collections_abc import Iterable, Iterator
from time import monotonic

from execpolicy.sandbox.backends.halted import members

FIRST_PAUSE, LAST_PAUSE = 0.5, 8.0
"""Seconds between two looks while a command lasts: the first, and at most."""
LISTENS = "0A"
"""TCP_LISTEN, as proc_net_tcp.rst of the kernel shows it."""


class OpenPorts:
    """Looks for ports that the processes of one command listen on. What was told in the session,
    which has this directory, is not told again; of `published` ones nothing is."""

    __slots__ = ("_known", "_pause", "_session", "due")

    def __init__(self, session: str, published: "Iterable[int]") -> None:
        self._session, self._known = session, {*published}
        self.due, self._pause = 0.0, FIRST_PAUSE

    def report(self, process: int) -> None:
        """Look, if that is due, in the network of a process of the command."""
        if monotonic() < self.due:
            return
        self.due = monotonic() + self._pause
        self._pause = min(2 * self._pause, LAST_PAUSE)
        found = {i: port for port, i in listening(process) if port not in self._known}
        if not found:
            return
        sockets = {link for one in members(process) for link in _links(one)}
        held = {port for inode, port in found.items() if f"socket:[{inode}]" in sockets}
        for port in sorted(held):
            self._known.add(port)
            if self._is_first(port):
                _tell(port)

    def _is_first(self, port: int) -> bool:
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
        try:
            os.close(os.open(os.path.join(self._session, f"port-{port}"), flags, 0o600))
        except OSError:
            return False
        return True


def _tell(port: int) -> None:
    text = (
        f"execpolicy: port {port} is open in this session alone: `sandbox(listen = [{port}])` in "
        "your rules has your browser reach it, from the next session on\n"
    )
    try:
        os.write(2, text.encode())
    except OSError:  # who started the command does not read it any more
        return


def listening(process: int) -> "Iterator[tuple[int, str]]":
    """The ports that something listens on in the network of a process, with their inodes."""
    for file in ("tcp", "tcp6"):
        try:
            with open(f"/proc/{process}/net/{file}") as lines:
                rows = [line.split() for line in lines][1:]
        except OSError:
            continue
        yield from (
            (int(row[1].rpartition(":")[2], 16), row[9]) for row in rows if row[3] == LISTENS
        )


def _links(process: int) -> "Iterator[str]":
    """What the descriptors of a process lead to."""
    try:
        for name in os.listdir(f"/proc/{process}/fd"):
            yield os.readlink(f"/proc/{process}/fd/{name}")
    except OSError:
        return
