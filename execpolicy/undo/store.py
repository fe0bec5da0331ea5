"""The snapshots of one project: numbered, each with the call that it was made for.

One process at a time writes to a store. A snapshot exists once its manifest was renamed in, and all
that the manifest refers to was written before; what a killed process left is removed by the next.
"""

import marshal
import os
from _collections_abc import Callable, Iterator, Sequence
from time import time_ns

from execpolicy.model.errors import ExecPolicyError
from execpolicy.store.sources.files import discard, replace
from execpolicy.store.sources.locks import taken
from execpolicy.support import directories
from execpolicy.support.record import Value
from execpolicy.undo import entry
from execpolicy.undo.entry import DIGEST, DIRECTORY, FILE, Entry, Listing
from execpolicy.undo.objects import LostError, Objects
from execpolicy.undo.packs import contents, own_directory
from execpolicy.undo.scan import Bounds, Directories, Known, Scan, TooLargeError, is_of_objects
from execpolicy.undo.watch import Watch

KnownData = tuple[int, int, Directories, tuple[str, ...]]

LOCK_SECONDS = 10.0
DAY = 24 * 60 * 60 * 1_000_000_000
"""Nanoseconds of a day."""
RESERVE = 20
"""The store leaves one of so many parts of its file system free."""
HASTY_BYTES = 64 * 1024 * 1024
"""Bytes of one file that a snapshot reads whose time is limited."""
_CACHE, _STATE, _REFUSED, _PENDING = "read", "state", directories.REFUSED, "pending"
_END = ".end"
_STATE_BYTES = 64


class UndoError(ExecPolicyError):
    """There is no snapshot, or nothing can be brought back, and why."""


class Limits(Value):
    """The settings: bytes of all that is kept of a project, and days that a snapshot is kept."""

    size: int = 2 * 1024**3
    days: int = 7


class RecordedCall(Value):
    """What a snapshot is made for.

    `needed`: the call was let pass because of it. `undoes` is the number of the call that an undo
    takes back; 0 for a call. `part`: not all of that. `full`: it names what a build makes again.
    """

    command: str
    cwd: str
    agent: str = ""
    session: str = ""
    needed: bool = False
    undoes: int = 0
    part: bool = False
    full: bool = False


class Manifest(Value):
    """A snapshot: its number, when it was begun, what it is for, and the entry of the root.

    `unheld` are some of the paths that it does not hold, `left` how many there are.
    """

    number: int
    began: int
    call: RecordedCall
    root: "Entry"
    unheld: tuple[str, ...] = ()
    left: int = 0

    @property
    def whole(self) -> bool:
        """Whether it holds all that was there, but for what was left out on purpose."""
        return not self.left


class Taken(Value):
    """A snapshot that was taken just now, and each directory as it was read."""

    manifest: Manifest
    scan: Scan


class State(Value):
    """The number that was given last, the bytes of all objects, whether some may not be on the disk
    yet, and how often objects were removed."""

    last: int
    size: int
    dirty: bool
    removals: int


MAX_TOLD = 20
"""Paths that a manifest names of those that it does not hold."""


class Store:
    """The store of the project at a real path."""

    __slots__ = ("directory", "limits", "objects", "root", "watch")

    def __init__(self, root: str, limits: Limits | None = None, watch: Watch | None = None) -> None:
        self.watch = watch or Watch()
        self.root, self.limits = root, limits or Limits()
        self.directory = directories.undo_of(directories.undo(), root)
        self.objects = Objects(f"{self.directory}/objects")

    # --- taking -----------------------------------------------------------------------------------

    def take(
        self,
        call: RecordedCall,
        is_generated: "Callable[[str], bool] | None" = None,
        own: "tuple[str, ...]" = (),
        *,
        full: bool = False,
        seconds: float = 0,
    ) -> Taken:
        """Take a snapshot. Raises `UndoError`; then nothing is held for the call.

        `is_generated` and `full` are those of a `Scan`; that of a call that needs it is full.
        `seconds` is how long it may take; 0 for as long as it needs.
        """
        until = time_ns() + int(seconds * 1_000_000_000) if seconds else 0
        full = full or call.needed or call.full

        def scan(state: State) -> Scan:
            bounds = self._bounds(state, until)
            if self.watch.removals != state.removals:
                self.watch.known = None
            touched = self.watch.begin(full=full)
            known = self.watch.known or self._known(state)
            return Scan(self.objects, known, bounds, is_generated, own, touched, full=full)

        try:
            with self.locked():
                taken = self._take(call, scan)
                self._refuse("")
                return taken
        except (OSError, TooLargeError, LostError) as error:
            self.objects.abandon()
            self.watch.known = None
            why = (error.strerror if isinstance(error, OSError) else None) or str(error)
            if isinstance(error, TooLargeError) and not seconds:
                self._refuse(why)
            raise UndoError(f"nothing can be kept of this project: {why.lower()}") from error

    def _take(self, call: RecordedCall, scanned: "Callable[[State], Scan]") -> Taken:
        state = self._state()
        scan = scanned(state)
        try:
            root = scan.read(self.root)
        except TooLargeError:
            self.objects.abandon()
            self.watch.known = None
            if not self.prune():
                raise
            state = self._state()
            scan = scanned(state)
            root = scan.read(self.root)
        self.objects.flush()
        dirty = state.dirty or scan.grown > 0
        number, unheld = self._next(state), scan.unheld_of(self.watch.unheld)
        state = state.replace(last=number, size=state.size + scan.grown, dirty=dirty)
        self._keep(state)
        self._read_by(scan, state.removals, unheld)
        manifest = Manifest(number, scan.began, call, root, tuple(unheld[:MAX_TOLD]), len(unheld))
        self._write_manifest(manifest)
        if call.needed and dirty:
            os.sync()  # the command begins when all is on the disk
            self._keep(state.replace(dirty=False))
        return Taken(manifest, scan)

    def _next(self, state: State) -> int:
        """A number that no snapshot has."""
        number = state.last + 1
        while os.path.lexists(self._path(number)):  # what was given last is not known any more
            number += 1
        return number

    def _read_by(self, scan: Scan, removals: int, unheld: "Sequence[str]") -> None:
        """Take note of a reading. A little of it is not written: to read that again costs less."""
        watch = self.watch
        watch.unheld, watch.removals = unheld, removals
        watch.fresh += scan.fresh
        watch.read(scan)
        if watch.fresh > watch.much:
            self._write_known(watch.known or scan.known(), removals)
            watch.fresh = 0

    def _bounds(self, state: "State", until: int) -> Bounds:
        disk = os.statvfs(self.directory)
        free = (disk.f_bavail - disk.f_blocks // RESERVE) * disk.f_frsize
        growth = max(0, min(free, self.limits.size - state.size))
        file = self.limits.size // 4
        return Bounds(min(file, HASTY_BYTES) if until else file, growth, until)

    def forget(self, manifest: Manifest) -> None:
        """Take a snapshot back that nothing was done after."""
        discard(self._path(manifest.number))

    def end(self, manifest: Manifest) -> None:
        """Note that the call is over: what changes from now on is not its doing."""
        data = b"%d" % time_ns()
        replace(f"{self._path(manifest.number)}{_END}", data, 0o600, durable=False)

    def ended(self, number: int) -> int | None:
        """When a call was over, in nanoseconds; None where that is not known."""
        try:
            return int(contents(f"{self._path(number)}{_END}"))
        except (OSError, ValueError):
            return None

    # --- reading ----------------------------------------------------------------------------------

    def numbers(self) -> "list[int]":
        """The numbers of all snapshots, the oldest first."""
        try:
            names = os.listdir(f"{self.directory}/snapshots")
        except OSError:
            return []
        return sorted(int(name) for name in names if name.isdigit())

    def manifest(self, number: int) -> Manifest:
        """The snapshot of a number. Raises `UndoError` where there is none."""
        found = self._read(f"snapshots/{number:08}")
        try:
            number, began, call, root, unheld, left = found  # type: ignore[misc]
            return Manifest(number, began, RecordedCall(*call), root, unheld, left)  # type: ignore[has-type]
        except (ValueError, TypeError) as error:
            raise UndoError(f"there is no snapshot {number} of this project") from error

    def manifests(self) -> "Iterator[Manifest]":
        """All snapshots, the oldest first."""
        for number in self.numbers():
            try:
                yield self.manifest(number)
            except UndoError:  # pruned meanwhile
                continue

    def listing(self, one: "Entry | None") -> "Listing":
        """What a directory held. Raises `LostError`."""
        if one is None or one[0] != DIRECTORY:
            return {}
        try:
            return entry.unpacked(self.objects.get(str(one[DIGEST])))
        except ValueError as error:
            raise LostError(str(error)) from error

    def size(self) -> int:
        """Bytes of all that is kept."""
        return self.objects.size()

    def refused(self) -> str:
        """Why nothing could be kept when it was tried last; empty where something was."""
        said = self._read(_REFUSED)
        return said if isinstance(said, str) else ""

    # --- pruning ----------------------------------------------------------------------------------

    def prune(self, everything: bool = False) -> int:
        """Remove what is too old, then the oldest while it is too much; the bytes that were freed.

        What a call was let pass for is kept as long as it is not too old. For one that holds the
        lock.
        """
        oldest = time_ns() - self.limits.days * DAY
        left = [*self.manifests()]
        gone = [one for one in left if everything or one.began < oldest]
        left = [one for one in left if one not in gone]
        freed = self._drop(gone, left)
        while left and self._state().size > self.limits.size * 3 // 4:
            next_one = [one for one in left[:-1] if not one.call.needed][: max(1, len(left) // 4)]
            if not next_one:
                break
            left = [one for one in left if one not in next_one]
            freed += self._drop(next_one, left)
        return freed

    def _drop(self, gone: "list[Manifest]", left: "list[Manifest]") -> int:
        """Remove snapshots, then all objects that no other one refers to."""
        for one in gone:
            for path in (self._path(one.number), f"{self._path(one.number)}{_END}"):
                discard(path)
        used: set[str] = set()
        for one in left:
            self._mark(one.root, used)
        before = self.objects.size()
        self.objects.keep(used)
        size = self.objects.size()
        state = self._state()
        state = state.replace(size=size, removals=state.removals + 1)
        known = self._known(state)
        self._keep(state)
        kept = {path: one for path, one in known.directories.items() if one[0] in used}
        self._write_known(known.replace(directories=kept), state.removals)
        return before - size

    def _mark(self, one: "Entry", used: "set[str]") -> None:
        digest = str(one[DIGEST])
        if digest in used:
            return
        used.add(digest)
        try:
            listing = self.listing(one)
        except LostError:
            return
        for each in listing.values():
            if each[0] == FILE:
                used.add(str(each[DIGEST]))
            elif each[0] == DIRECTORY:
                self._mark(each, used)

    # --- files ------------------------------------------------------------------------------------

    def locked(self) -> "Locked":
        """Be the one process that writes."""
        return Locked(self)

    def _path(self, number: int) -> str:
        return f"{self.directory}/snapshots/{number:08}"

    def _write_manifest(self, one: Manifest) -> None:
        call = tuple(getattr(one.call, name) for name in RecordedCall.__fields__)
        data = one.number, one.began, call, one.root, one.unheld, one.left
        self._write(f"snapshots/{one.number:08}", data)

    def _state(self) -> State:
        found = self._read(_STATE)
        try:
            return State(*found)  # type: ignore[misc]
        except (TypeError, ValueError):
            last = max([0, *self.numbers()])
            return State(last, self.size(), True, time_ns())

    def _keep(self, state: State) -> None:
        """Write it in its place, by one call: what is damaged is counted anew."""
        data = marshal.dumps((state.last, state.size, state.dirty, state.removals))
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(f"{self.directory}/{_STATE}", flags, 0o600)
        try:
            os.pwrite(descriptor, data.ljust(_STATE_BYTES, b"\0"), 0)
        finally:
            os.close(descriptor)

    def _known(self, state: State) -> Known:
        """What the cache has; nothing where objects were removed since it was written."""
        found: KnownData = self._read(_CACHE)  # type: ignore[assignment]
        try:
            removals, began, directories, generated = found
            return Known(began, directories if removals == state.removals else {}, generated)
        except (TypeError, ValueError):
            return Known(0, {})

    def _write_known(self, known: Known, removals: int) -> None:
        found = {
            path: (one[0], None, one[2]) if is_of_objects(path) else one
            for path, one in known.directories.items()
        }
        self._write(_CACHE, (removals, known.began, found, known.generated))

    def _refuse(self, why: str) -> None:
        """Note why nothing can be kept, for decisions."""
        path = f"{self.directory}/{_REFUSED}"
        try:
            if why:
                self._write(_REFUSED, why)
            elif os.path.lexists(path):
                os.unlink(path)
        except OSError:
            return

    def pending(self) -> object:
        """What an undo that was ended in its midst has yet to do; None where there is nothing."""
        return self._read(_PENDING)

    def promise(self, what: object) -> None:
        """Write down what an undo is about to do; None once it is done. Raises `OSError`."""
        if what is None:
            discard(f"{self.directory}/{_PENDING}")
        else:
            self._write(_PENDING, what, durable=True)

    def _read(self, name: str) -> object:
        try:
            return marshal.loads(contents(f"{self.directory}/{name}"))  # noqa: S302 — the user's own
        except (OSError, EOFError, ValueError, TypeError):
            return None

    def _write(self, name: str, value: object, *, durable: bool = False) -> None:
        data = marshal.dumps(value)  # type: ignore[arg-type]
        replace(f"{self.directory}/{name}", data, 0o600, durable=durable)


class Locked:
    """The lock of a store, while something is written. Raises `OSError` where it is not free."""

    __slots__ = ("_descriptor", "_store")

    def __init__(self, store: Store) -> None:
        self._store, self._descriptor = store, -1

    def __enter__(self) -> None:
        store = self._store
        store.objects.prepare()
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(f"{store.directory}/lock", flags, 0o600)
        try:
            if not taken(self._descriptor, LOCK_SECONDS):
                raise OSError("another process does not let go of the store")
            store.objects.sweep()
            own_directory(f"{store.directory}/snapshots")
            if not os.path.lexists(f"{store.directory}/root"):
                data = os.fsencode(store.root)
                replace(f"{store.directory}/root", data, 0o600, durable=False)
        except BaseException:
            os.close(self._descriptor)
            raise

    def __exit__(self, *_error: object) -> None:
        os.close(self._descriptor)
