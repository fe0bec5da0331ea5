"""The store of one project: content by its digest, in files that only the user can open.

An object appears whole, by a rename. What was removed from the store while a digest of it was kept
elsewhere is found when it is read: the content has to have the digest that it is named by.
"""

import os
import stat
from _collections_abc import Container, Iterator

from execpolicy.store.sources.files import discard, private_directory
from execpolicy.support import digest, directories
from execpolicy.undo.packs import READ, NewPack, Pack, own_directory, packs, read, sweep

CHUNK = 1 << 20
FEW, SMALL = 64, 1 << 16
"""How many objects of one snapshot are files of their own, and the bytes of one that is packed."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


class LostError(Exception):
    """An object is not there, or not what it was."""


class Objects:
    """The objects below a directory of a store. One process at a time adds to them.

    The first few of what is added are files, all more of them that are small go into one pack,
    which is there after `flush`.
    """

    __slots__ = ("_added", "_digested", "_known", "_pack", "directory")

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self._added = self._digested = 0
        self._pack: NewPack | None = None
        self._known: list[Pack] | None = None

    def prepare(self) -> None:
        """Make the directories. Raises `OSError`."""
        private_directory(directories.state())
        above = directories.undo(), os.path.dirname(self.directory), self.directory
        for path in (*above, self._temporary, self._packed):
            own_directory(path)

    @property
    def _temporary(self) -> str:
        return f"{self.directory}/new"

    @property
    def _packed(self) -> str:
        return f"{self.directory}/packs"

    def path(self, name: str) -> str:
        """Where the object of a digest is, there or not, if it is a file of its own."""
        return f"{self.directory}/{name[:2]}/{name[2:]}"

    def put(self, data: bytes) -> tuple[str, int]:
        """Keep some bytes; their digest, and how many bytes the store grew by. Raises `OSError`."""
        hashed = self._digest(len(data))
        hashed.update(data)
        name = hashed.hexdigest()
        if self._has(name, len(data)):
            return name, 0
        self._added += 1
        if self._added > FEW and len(data) <= SMALL:
            return name, self._pack_up(name, data)
        made = self._made()
        try:
            target = os.open(made, _NEW, 0o600)
            try:
                _write(target, data)
            finally:
                os.close(target)
            self._enter(made, name)
        except BaseException:
            discard(made)
            raise
        return name, len(data)

    def _digest(self, size: int) -> "digest.HASH":
        """What makes the digest of so many bytes."""
        self._digested += size
        return digest.begun(self._digested)

    def _has(self, name: str, size: int) -> bool:
        """Whether an object is a file that has no name outside of the store."""
        try:
            state = os.lstat(self.path(name))
        except FileNotFoundError:
            return False
        return stat.S_ISREG(state.st_mode) and state.st_nlink == 1 and state.st_size == size

    def _pack_up(self, name: str, data: bytes) -> int:
        """Put an object into the pack, unless it is in one; by how much that grew."""
        if self._pack is None:
            self._pack = NewPack(self._packed)
        key = bytes.fromhex(name)
        if key in self._pack.table or any(key in pack.table for pack in self._packs()):
            return 0
        self._pack.add(name, data)
        return len(data)

    def flush(self) -> None:
        """Let all that was added be found. Raises `OSError`."""
        pack, self._pack, self._added = self._pack, None, 0
        if pack is not None:
            pack.finish()
            self._known = None

    def abandon(self) -> None:
        """Forget what was added since `flush`, as far as it is in a pack."""
        pack, self._pack, self._added = self._pack, None, 0
        if pack is not None:
            pack.drop()

    def _packs(self) -> list[Pack]:
        if self._known is None:
            self._known = [*packs(self._packed)]
        return self._known

    def put_file(self, source: int, size: int) -> tuple[str, int]:
        """The same for the first `size` bytes of an open file. Raises `OSError`."""
        if size <= CHUNK:
            return self.put(read(source, size))
        made, hashed, left = self._made(), self._digest(size), size
        try:
            target = os.open(made, _NEW, 0o600)
            try:
                while left and (data := os.read(source, min(left, CHUNK))):
                    hashed.update(data)
                    _write(target, data)
                    left -= len(data)
            finally:
                os.close(target)
            name = hashed.hexdigest()
            if self._has(name, size - left):
                discard(made)
                return name, 0
            self._enter(made, name)
        except BaseException:
            discard(made)
            raise
        return name, size - left

    def get(self, name: str) -> bytes:
        """The bytes of a digest. Raises `LostError`."""
        return b"".join(self.parts(name))

    def parts(self, name: str) -> Iterator[bytes]:
        """The bytes of a digest, part by part. Raises `LostError`, at the end too."""
        hashed = digest.sha256()
        try:
            source = os.open(self.path(name), READ)
        except OSError as error:
            data = self._from_pack(name)
            if data is not None:
                yield data
                return
            raise LostError(f"`{name[:12]}` is not in the store: {error.strerror}") from error
        try:
            while data := os.read(source, CHUNK):
                hashed.update(data)
                yield data
        finally:
            os.close(source)
        if hashed.hexdigest() != name:
            raise LostError(f"`{name[:12]}` is damaged in the store")

    def _from_pack(self, name: str) -> bytes | None:
        """The bytes of a digest from a pack that has them whole; None where none does."""
        key = bytes.fromhex(name)
        for _ in range(2):  # another process may have written the packs anew
            for pack in self._packs():
                if key in pack.table:
                    try:
                        data = pack.read(key)
                    except OSError:
                        continue
                    if digest.of(data) == name:
                        return data
            self._known = None
        return None

    def size(self) -> int:
        """Bytes of all objects."""
        files = sum(size for _, size in self._files())
        return files + sum(pack.size for pack in packs(self._packed))

    def names(self) -> Iterator[str]:
        """The digest of each object."""
        yield from (name for name, _ in self._files())
        for pack in packs(self._packed):
            yield from (key.hex() for key in pack.table)

    def _files(self) -> Iterator[tuple[str, int]]:
        """Each object that is a file of its own, with its size."""
        for first in _listed(self.directory):
            path = f"{self.directory}/{first}"
            if len(first) == 2 and not os.path.islink(path):
                with os.scandir(path) as entries:
                    for each in entries:
                        yield first + each.name, each.stat(follow_symlinks=False).st_size

    def keep(self, used: Container[str]) -> None:
        """Remove all other objects. Raises `OSError`."""
        for name, _ in [*self._files()]:
            if name not in used:
                discard(self.path(name))
        for pack in [*packs(self._packed)]:
            live = {key: place for key, place in pack.table.items() if key.hex() in used}
            if sum(length for _, length in live.values()) * 2 > pack.size:
                continue
            for key in live:
                data = pack.read(key)
                if digest.of(data) == key.hex():
                    self._added = FEW + 1
                    if self._pack is None:
                        self._pack = NewPack(self._packed)
                    self._pack.add(key.hex(), data)
            self.flush()
            pack.remove()
        self._known = None

    def sweep(self) -> None:
        """Remove what killed processes left. For one that holds the lock of the store."""
        for name in _listed(self._temporary):
            discard(f"{self._temporary}/{name}")
        sweep(self._packed)

    def _made(self) -> str:
        return f"{self._temporary}/{os.getpid()}-{os.urandom(8).hex()}"

    def _enter(self, made: str, name: str) -> None:
        path = self.path(name)
        own_directory(os.path.dirname(path))
        os.rename(made, path)


def _write(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def _listed(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []
