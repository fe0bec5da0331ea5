"""Many small objects in one file: what the first snapshot of a project holds.

A pack is the contents one after the other, and a table of where each lies. It exists once its table
was renamed in, which is written after the contents.
"""

import marshal
import os
import stat
from _collections_abc import Iterator

from execpolicy.store.sources.files import private_directory, replace
from execpolicy.support.record import Value

Table = dict[bytes, tuple[int, int]]
"""Where the content of a digest begins, and its length."""

_DATA, _TABLE = ".pack", ".table"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
BUFFER = 1 << 20


def contents(path: str) -> bytes:
    """The bytes of a file of a store: nothing else is waited for, and no link followed. Raises
    `OSError`."""
    descriptor = os.open(path, READ)
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise OSError("it is not a file")
        return read(descriptor, state.st_size)
    finally:
        os.close(descriptor)


def read(source: int, size: int) -> bytes:
    """Up to `size` bytes from the beginning of an open file."""
    parts, at = [], 0
    while at < size and (data := os.pread(source, size - at, at)):
        parts.append(data)
        at += len(data)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def own_directory(path: str) -> None:
    """Make a directory of a store, which is not a link to another one. Raises `OSError`."""
    try:
        state = os.lstat(path)
    except FileNotFoundError:
        private_directory(path)
        state = os.lstat(path)
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid():
        raise OSError(f"`{os.path.basename(path)}` in the store is not a directory of yours")


class NewPack:
    """A pack that is being written."""

    __slots__ = ("_descriptor", "_made", "_parts", "_size", "_waiting", "directory", "table")

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.table: Table = {}
        self._made = f"{directory}/{os.urandom(8).hex()}"
        self._descriptor = os.open(self._made + _DATA, _NEW, 0o600)
        self._parts: list[bytes] = []
        self._waiting = self._size = 0

    def add(self, name: str, data: bytes) -> None:
        """Write one more content. Raises `OSError`."""
        self.table[bytes.fromhex(name)] = self._size, len(data)
        self._parts.append(data)
        self._size += len(data)
        self._waiting += len(data)
        if self._waiting >= BUFFER:
            self._write()

    def finish(self) -> None:
        """Write the rest, and let the pack be found. Raises `OSError`."""
        self._write()
        os.close(self._descriptor)
        self._descriptor = -1
        replace(self._made + _TABLE, marshal.dumps(self.table), 0o600, durable=False)

    def drop(self) -> None:
        """Remove what was written."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        os.unlink(self._made + _DATA)

    def _write(self) -> None:
        view = memoryview(b"".join(self._parts))
        while view:
            view = view[os.write(self._descriptor, view) :]
        self._parts, self._waiting = [], 0


class Pack(Value):
    """A pack by its path without an ending, and its table."""

    path: str
    table: "Table"

    def read(self, name: bytes) -> bytes:
        """The content of a digest that the table has. Raises `OSError`."""
        start, length = self.table[name]
        descriptor = os.open(self.path + _DATA, READ)
        try:
            return os.pread(descriptor, length, start)
        finally:
            os.close(descriptor)

    @property
    def size(self) -> int:
        """Bytes of the contents."""
        return os.stat(self.path + _DATA).st_size

    def remove(self) -> None:
        """Remove it, the table first. Raises `OSError`."""
        os.unlink(self.path + _TABLE)
        os.unlink(self.path + _DATA)


def packs(directory: str) -> "Iterator[Pack]":
    """The packs of a directory; one that is damaged is none."""
    for name in _names(directory):
        if not name.endswith(_TABLE):
            continue
        path = f"{directory}/{name.removesuffix(_TABLE)}"
        try:
            table = marshal.loads(contents(path + _TABLE))  # noqa: S302 — the user's own data
        except (OSError, EOFError, ValueError, TypeError):
            continue
        if isinstance(table, dict):
            yield Pack(path, table)


def sweep(directory: str) -> None:
    """Remove what killed processes left. For one that holds the lock of the store."""
    names = _names(directory)
    for name in names:
        whole = name.removesuffix(_DATA) + _TABLE
        if name.startswith(".") or (name.endswith(_DATA) and whole not in names):
            try:
                os.unlink(f"{directory}/{name}")
            except OSError:
                continue


def _names(directory: str) -> "set[str]":
    try:
        return set(os.listdir(directory))
    except OSError:
        return set()
