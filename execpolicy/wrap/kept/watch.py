"""Which names in a project were touched since it was read last, by inotify(7).

A watch is put on each directory before it is read, so that no change falls between. What a program
writes by mmap(2) is told once it lets go of the file; what it writes by a name outside, where the
file had none when it was read, is not. Where the kernel does not tell all, the project is read
whole.
"""

import os
import select
import struct
from _collections_abc import Container, Iterator

from execpolicy.sandbox.kernel import call
from execpolicy.undo.entry import DIRECTORY, FILE, INODE, SKIPPED, Entry
from execpolicy.undo.scan import MUCH, Known, Scan, Touched
from execpolicy.undo.watch import Watch

MODIFIED, ATTRIBUTES, WRITTEN, MOVED, CREATED, DELETED = 0x2, 0x4, 0x8, 0xC0, 0x100, 0x200
UNMOUNTED, OVERFLOW, IGNORED = 0x2000, 0x4000, 0x8000
ONLY_DIRECTORY, IS_DIRECTORY = 0x01000000, 0x40000000
_MASK = MODIFIED | ATTRIBUTES | WRITTEN | MOVED | CREATED | DELETED | ONLY_DIRECTORY
_RENEWED = MOVED | CREATED | DELETED
_NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC
_EVENT = struct.Struct("iIII")
LOCAL = frozenset(("bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs"))
"""File systems that only this kernel changes."""
MAX_LINKED = 4096
"""Files with several names that are looked at each time: they may be written by another name."""
FORGOTTEN = 1000
"""Directories that are known and are not there any more."""
MOUNTS = "/proc/self/mountinfo"


class ProjectWatch(Watch):
    """Follows all directories of the project at a real path."""

    much = 16 * MUCH

    def __init__(self, root: str) -> None:
        super().__init__()
        self._root, self._fd, self._stands = root, -1, (0, 0)
        self._gave_up = False
        self._paths: dict[int, str] = {}
        self._names: dict[str, set[str]] = {}
        self._renewed: set[str] = set()
        self._linked: set[str] = set()
        self._left_out: set[str] = set()
        self._room = 0
        self._mounts = select.poll()
        self._table = open(MOUNTS, "rb")  # noqa: SIM115 - as long as the session
        self._mounts.register(self._table, select.POLLPRI)

    def begin(self, *, full: bool) -> Touched | None:
        """All that was touched since the last reading."""
        if self._gave_up:
            return None
        self.drain()
        state = os.stat(self._root)
        if (state.st_dev, state.st_ino) != self._stands or self._mounts.poll(0):
            self.known = None
        if self.known and len(self.known.directories) > 2 * len(self._paths) + FORGOTTEN:
            self.known = None
        names, renewed = self._names, self._renewed
        self._names, self._renewed = {}, set()
        if self.known is None:
            self._stands = state.st_dev, state.st_ino
            return Touched(None, (), self._enter) if self._begin_anew() else None
        for path in (*self._linked, *(self._left_out if full else ())):
            above, _, name = path.rpartition("/")
            names.setdefault(above, set()).add(name)
        return Touched(names, renewed | self._left_out if full else renewed, self._enter)

    def read(self, scan: "Scan") -> None:
        """Take note of a reading: it is known from now on, if all of it is watched."""
        self._left_out = {*scan.left_out, *(() if scan.full else self._left_out)}
        known = scan.known()
        new = scan.linked.keys() - self._linked
        self._linked |= scan.linked.keys()
        if new and scan.by_names:
            self._linked.update(_others(new, known))
        self._gave_up = self._gave_up or self._fd < 0 or len(self._linked) > MAX_LINKED
        self.known = None if self._gave_up else known
        if self._gave_up:
            self._close()

    def drain(self) -> None:
        """Take note of what the kernel tells."""
        while self._fd >= 0:
            try:
                data = os.read(self._fd, 1 << 18)
            except BlockingIOError:
                return
            self._take(data)

    def _take(self, data: bytes) -> None:
        at, names = 0, self._names
        while at < len(data):
            number, mask, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size + length
            if mask & (OVERFLOW | UNMOUNTED):
                self.known = None
            if mask & IGNORED:
                self._paths.pop(number, None)
            path = self._paths.get(number)
            if path is None or not length:
                continue
            name = os.fsdecode(data[at - length : at].rstrip(b"\0"))
            names.setdefault(path, set()).add(name)
            if mask & IS_DIRECTORY and mask & _RENEWED:
                self._renewed.add(f"{path}/{name}" if path else name)

    def removed(self) -> int | None:
        """How many files and links are gone since the last reading, without those of git itself;
        None where that is not known."""
        self.drain()
        if self.known is None:
            return None
        count = 0
        for path, names in self._names.items():
            if ".git" in path.split("/") or not os.path.isdir(f"{self._root}/{path}"):
                continue
            listing = self.known.directories.get(path, ("", None, 0))[1] or {}
            for name in names & listing.keys():
                inside = f"{path}/{name}" if path else name
                if name != ".git" and not os.path.lexists(f"{self._root}/{inside}"):
                    count += self._files(inside, listing[name])
        return count

    def _files(self, path: str, one: "Entry") -> int:
        if one[0] != DIRECTORY:
            return one[0] != SKIPPED
        known = self.known.directories if self.known else {}
        listing = known.get(path, ("", None, 0))[1] or {}
        return sum(self._files(f"{path}/{name}", each) for name, each in listing.items())

    def _begin_anew(self) -> bool:
        """Watch nothing yet; whether the kernel will tell."""
        self._close()
        self._paths, self._linked, self._left_out = {}, set(), set()
        if self._type() not in LOCAL:
            self._gave_up = True
            return False
        try:
            with open("/proc/sys/fs/inotify/max_user_watches", "rb") as file:
                self._room = int(file.read(20)) // 2
            self._fd = call("inotify_init1", _NONBLOCK_CLOEXEC)
        except (OSError, ValueError):
            self._gave_up = True
        return not self._gave_up

    def _enter(self, descriptor: int, path: str) -> None:
        if self._gave_up:
            return
        place = b"/proc/self/fd/%d" % descriptor
        try:
            number = call("inotify_add_watch", self._fd, place, _MASK)
        except OSError:
            self._gave_up = True
            return
        self._paths[number] = path
        self._gave_up = len(self._paths) > self._room

    def _type(self) -> str:
        """The type of the file system on which the project lies (proc_pid_mountinfo(5))."""
        self._table.seek(0)
        found, root = (b"", ""), os.fsencode(self._root)
        for line in self._table:
            fields = line.split()
            at = fields[4].decode("unicode_escape").encode("latin-1").rstrip(b"/")
            if (root == at or root.startswith(at + b"/")) and len(at) >= len(found[0]):
                found = at, fields[fields.index(b"-") + 1].decode()
        return found[1]

    def close(self) -> None:
        """Watch nothing any more."""
        self._close()
        self._table.close()

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _others(linked: "Container[str]", known: "Known") -> "Iterator[str]":
    """All names of files of which some names are given."""
    inodes = set()
    for path, (_, listing, _) in known.directories.items():
        for name, one in (listing or {}).items():
            if one[0] == FILE and (f"{path}/{name}" if path else name) in linked:
                inodes.add(one[INODE])
    for path, (_, listing, _) in known.directories.items():
        for name, one in (listing or {}).items():
            if one[0] == FILE and one[INODE] in inodes:
                yield f"{path}/{name}" if path else name
