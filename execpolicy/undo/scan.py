"""Reads a project into the store: what changed since it was last read, and nothing else.

No link is followed and nothing but regular files is opened, each directory from the one above it by
its descriptor. What cannot be kept has an entry that says why: then the snapshot is not whole.
"""

import os
import stat
from _collections_abc import Callable, Container, Iterable, Iterator
from time import time_ns

from execpolicy.support.record import Value
from execpolicy.undo import entry
from execpolicy.undo.entry import (
    CTIME,
    DIRECTORY,
    FILE,
    INODE,
    MTIME,
    QUARANTINED,
    SIZE,
    SKIPPED,
    UNFINISHED,
    UNHELD,
    Entry,
    Listing,
    is_ours,
)
from execpolicy.undo.objects import LostError, Objects

Directories = dict[str, tuple[str, Listing | None, int]]
"""By the path below the root: the digest of a listing, the listing, the directory's mtime. A
listing that is None lies in the store."""

MAX_DEPTH = 200
MAX_ENTRIES = 400_000
TRIES = 3
MUCH = 64
"""Of what was read anew, so that a cache of it pays: a file or a listing is one, a megabyte 16."""
FINE, COARSE = 20_000_000, 2_100_000_000
"""Nanoseconds within which two changes may have the same time: on file systems that keep fractions
of a second (a tick of the kernel), and on those that do not (FAT has two seconds)."""
_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY


class TooLargeError(Exception):
    """There is more than a snapshot may hold."""


class Known(Value):
    """What was read last: when, each directory, and the paths of what a build makes again."""

    began: int
    directories: "Directories"
    generated: tuple[str, ...] = ()


class Touched(Value):
    """All that may have changed since the last reading: names in directories, and directories
    that are to be read whole; without names all are. `enter` is told of each, before it is read."""

    names: "dict[str, set[str]] | None"
    renewed: "Container[str]"
    enter: "Callable[[int, str], None]"


class Bounds(Value):
    """How much is read: bytes of one file, bytes that the store may grow by, and until when."""

    file: int
    growth: int
    until: int = 0


class Scan:
    """One reading of a project. `found` has each directory afterwards, `unheld` what is not kept,
    `linked` the device, inode and number of names of each file that has several.

    `is_generated` says of a real path whether a build makes it again; without it, what was so the
    last time is. That is left out of a reading that is not `full`.
    """

    def __init__(
        self,
        objects: "Objects",
        known: Known,
        bounds: Bounds,
        is_generated: "Callable[[str], bool] | None" = None,
        own: "Container[str]" = (),
        touched: Touched | None = None,
        *,
        full: bool = False,
    ) -> None:
        self.began = time_ns()
        self.found: Directories = {}
        self.fresh = 0
        self.linked: dict[str, tuple[int, int, int]] = {}
        self._looked: list[str] = []
        self.generated: list[str] = []
        self.unheld: list[str] = []
        self.grown = 0
        self._objects, self._known, self._bounds = objects, known, bounds
        self._is_generated, self._own, self.full = is_generated, own, full
        self._known_generated = frozenset(known.generated)
        self._touched = touched
        self._ways = _ways(touched.names) if touched and touched.names is not None else None
        self.left_out: list[str] = []
        self._entries = 0
        self._device = 0
        self._root = ""

    def read(self, root: str) -> "Entry":
        """Read all below a real path; the entry of the directory itself.

        Raises `TooLargeError`, and `OSError` where the store cannot be written.
        """
        self._root = root
        descriptor = os.open(root, _OPEN | os.O_DIRECTORY)
        try:
            state = os.fstat(descriptor)
            self._device = state.st_dev
            return self._directory(descriptor, "", state, 0)
        finally:
            os.close(descriptor)

    def _directory(self, descriptor: int, path: str, state: os.stat_result, depth: int) -> "Entry":
        digest, before, _ = self._known.directories.get(path, ("", {}, 0))
        ways, touched = self._ways, self._touched
        if touched is not None and (ways is None or not digest or path in touched.renewed):
            self._ways = None  # and so are those in it
            touched.enter(descriptor, path)
            state = os.fstat(descriptor)
            if self._holds_objects(path, state.st_mtime_ns):
                self._ways, self.found[path] = ways, self._known.directories[path]
                return entry.directory(state, digest)
        self._check_time()
        before = self._listing(digest) if before is None else before
        if self._ways is None:
            listing, more = self._all(descriptor, path, before)
        else:
            listing, more = _named(descriptor, self._ways.get(path, ()), before)
        for name, looked in more:
            made = self._entry(name, looked, descriptor, path, depth)
            if made is not None:
                listing[name] = made
        if not digest or (listing is not before and listing != before):
            self.fresh += 1
            digest, grown = self._objects.put(entry.packed(listing))
            self._grow(grown)
        self._ways = ways
        self.found[path] = digest, listing, state.st_mtime_ns
        return entry.directory(state, digest)

    def _listing(self, digest: str) -> "Listing":
        """A listing from the store; an empty one, so that all is read, where it is lost."""
        try:
            return entry.unpacked(self._objects.get(digest))
        except (LostError, ValueError):
            return {}

    def _holds_objects(self, path: str, mtime: int) -> bool:
        """Whether a directory has nothing but objects of git, and no name in it changed.

        Git never writes to an object that is there: its name tells its content
        (gitrepository-layout(5)).
        """
        known = self._known.directories.get(path)
        if known is None or known[2] != mtime or not is_of_objects(path):
            return False
        return self._is_settled_at(mtime)

    def _all(
        self, descriptor: int, path: str, before: "Listing"
    ) -> "tuple[Listing, list[tuple[str, os.stat_result | None]]]":
        """What is as it was, of a directory of which it is not known what was touched, and the
        names of which more than a look is needed.

        Here most of the time of a reading goes by, so it calls little. The time of the last change
        of a file's state tells of its mode and its owner, too (inode(7)).
        """
        sure, known_of, same = self._known.began - COARSE, before.get, 0
        more: list[tuple[str, os.stat_result | None]] = []
        every_name = True
        with os.scandir(descriptor) as entries:
            every = list(entries)
        self._entries += len(every)
        if self._entries > MAX_ENTRIES:
            raise TooLargeError(f"there are more than {MAX_ENTRIES} files")
        for each in every:
            known = known_of(each.name)
            if known is None or known[0] != FILE:
                if is_ours(each.name, UNFINISHED, QUARANTINED):
                    every_name = False
                else:
                    more += _other(each)
                continue
            try:
                state = each.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            changed = state.st_ctime_ns
            if (
                changed == known[CTIME]
                and state.st_ino == known[INODE]
                and state.st_size == known[SIZE]
                and state.st_mtime_ns == known[MTIME]
                and (changed < sure or self._is_settled_at(changed))
            ):
                same += 1
                if state.st_nlink > 1:
                    self._note_linked(f"{path}/{each.name}" if path else each.name, state)
            else:
                more.append((each.name, state))
        if every_name:
            self._looked.append(path)
        if same == len(before):
            return (before.copy() if more else before), more
        gone = before.keys() - {each.name for each in every}
        gone.update(name for name, _ in more)
        return {name: one for name, one in before.items() if name not in gone}, more

    def _note_linked(self, path: str, state: os.stat_result) -> None:
        self.linked[path] = state.st_dev, state.st_ino, state.st_nlink

    def links(self) -> "dict[str, tuple[tuple[str, int, int, int], ...]]":
        """The files with several names in each directory of which every name was looked at."""
        found: dict[str, list[tuple[str, int, int, int]]] = {path: [] for path in self._looked}
        for path, state in self.linked.items():
            above, _, name = path.rpartition("/")
            if above in found:
                found[above].append((name, *state))
        root = self._root
        return {f"{root}/{d}" if d else root: tuple(sorted(f)) for d, f in found.items()}

    def _entry(
        self, name: str, state: os.stat_result | None, above: int, path: str, depth: int
    ) -> "Entry | None":
        """The entry of a name; None for what is gone by now."""
        inside = f"{path}/{name}" if path else name
        try:
            if state is None:
                return self._below(name, above, inside, depth)
            mode = state.st_mode
            if stat.S_ISREG(mode):
                if state.st_nlink > 1:
                    self._note_linked(inside, state)
                return self._file(name, above, inside, state)
            if stat.S_ISLNK(mode):
                return entry.link(state, os.readlink(name, dir_fd=above))
            if stat.S_ISDIR(mode):
                return self._below(name, above, inside, depth)
            if not stat.S_ISFIFO(mode) and not stat.S_ISSOCK(mode):
                self.unheld.append(inside)
            return entry.special(state)
        except FileNotFoundError:
            return None

    def _is_settled(self, known: "Entry") -> bool:
        """Whether a file was read so long after its last change that another would show."""
        return self._is_settled_at(entry.changed(known))

    def _is_settled_at(self, changed: int) -> bool:
        return changed + (FINE if changed % 1_000_000_000 else COARSE) < self._known.began

    def _below(self, name: str, above: int, path: str, depth: int) -> "Entry":
        if f"{self._root}/{path}" in self._own:
            return entry.SKIP
        if self._is_made(path):
            self.generated.append(path)
            self.fresh += 0 if path in self._known_generated else MUCH + 1
            if not self.full:
                self.left_out.append(path)
                return entry.SKIP
        if self._touched is None and is_of_objects(path):
            state = os.stat(name, dir_fd=above, follow_symlinks=False)
            if state.st_dev == self._device and self._holds_objects(path, state.st_mtime_ns):
                self.found[path] = self._known.directories[path]
                return entry.directory(state, self.found[path][0])
        if depth >= MAX_DEPTH:
            return self._left(path, "it lies too deep")
        try:
            descriptor = os.open(name, _OPEN | os.O_DIRECTORY, dir_fd=above)
        except FileNotFoundError:
            raise
        except OSError as error:
            return self._left(path, (error.strerror or str(error)).lower())
        try:
            state = os.fstat(descriptor)
            if state.st_dev != self._device:
                return self._left(path, "another file system is mounted there")
            return self._directory(descriptor, path, state, depth + 1)
        finally:
            os.close(descriptor)

    def _is_made(self, path: str) -> bool:
        if self._is_generated is None:
            return path in self._known_generated
        return self._is_generated(f"{self._root}/{path}")

    def known(self) -> Known:
        """What the next reading need not read."""
        directories: Directories = {}
        if self._ways is not None:
            directories.update(self._known.directories)
        generated = [*self.generated, *filter(self._is_kept, self._known.generated)]
        for path in self.left_out:
            self._keep_known(path, directories)
        return Known(self.began, {**directories, **self.found}, tuple(generated))

    @property
    def by_names(self) -> bool:
        """Whether no more was read than what was touched."""
        return self._ways is not None

    def unheld_of(self, earlier: "Iterable[str]") -> "list[str]":
        """What is not held now: what was seen, and what was found earlier where nothing changed."""
        seen = {*self.unheld}
        kept = [path for path in earlier if path not in seen and self._is_kept(path)]
        return [*self.unheld, *kept]

    def _is_kept(self, path: str) -> bool:
        """Whether a path is still there, untouched."""
        above, _, name = path.rpartition("/")
        if self._ways is None or name in self._ways.get(above, ()):
            return False
        above = ""
        for name in path.split("/"):
            found = self.found.get(above) or self._known.directories.get(above)
            if found is None or name not in (found[1] or ()):
                return False
            above = f"{above}/{name}" if above else name
        return True

    def _keep_known(self, path: str, kept: "Directories") -> None:
        """What was read of a directory that is left out now stays known, but for what may have
        been changed right after that: it is not looked at now."""
        digest, listing, mtime = self._known.directories.get(path, ("", None, 0))
        if listing is None:
            return
        sure = {n: one for n, one in listing.items() if one[0] != FILE or self._is_settled(one)}
        kept[path] = digest if len(sure) == len(listing) else "", sure, mtime
        for name, one in listing.items():
            if one[0] == DIRECTORY:
                self._keep_known(f"{path}/{name}", kept)

    def _file(self, name: str, above: int, path: str, state: os.stat_result) -> "Entry":
        if state.st_size > self._bounds.file:
            return self._left(path, "it is too large")
        self._check_time()
        try:
            descriptor = os.open(name, _OPEN, dir_fd=above)
        except FileNotFoundError:
            raise
        except OSError as error:
            return self._left(path, (error.strerror or str(error)).lower())
        try:
            return self._content(descriptor, path)
        finally:
            os.close(descriptor)

    def _content(self, descriptor: int, path: str) -> "Entry":
        """The content of an open file, as it stood at one moment."""
        for _ in range(TRIES):
            state = os.fstat(descriptor)
            if not stat.S_ISREG(state.st_mode) or state.st_size > self._bounds.file:
                break
            if self.grown + state.st_size > self._bounds.growth:
                raise TooLargeError("there is more than the store may hold")
            os.lseek(descriptor, 0, os.SEEK_SET)
            self.fresh += 1 + (state.st_size >> 16)
            digest, grown = self._objects.put_file(descriptor, state.st_size)
            self._grow(grown)
            if entry.stamp(os.fstat(descriptor)) == entry.stamp(state):
                return entry.file(state, digest)
        return self._left(path, "it changes while it is read")

    def _check_time(self) -> None:
        if self._bounds.until and time_ns() > self._bounds.until:
            raise TooLargeError("it takes too long")

    def _grow(self, size: int) -> None:
        self.grown += size
        if self.grown > self._bounds.growth:
            raise TooLargeError("there is more than the store may hold")

    def _left(self, path: str, why: str) -> "Entry":
        self.unheld.append(path)
        return entry.unheld(why)


def _other(each: "os.DirEntry[str]") -> "Iterator[tuple[str, os.stat_result | None]]":
    """A name that is new or no file; a directory is looked at when it is opened."""
    try:
        is_directory = each.is_dir(follow_symlinks=False)
        yield each.name, None if is_directory else each.stat(follow_symlinks=False)
    except FileNotFoundError:
        return


def _named(
    descriptor: int, names: "Iterable[str]", before: "Listing"
) -> "tuple[Listing, list[tuple[str, os.stat_result | None]]]":
    """What of a directory is as it was, and the names that are to be looked at."""
    listing = before.copy()
    more: list[tuple[str, os.stat_result | None]] = []
    for name in names:
        listing.pop(name, None)
        try:
            state = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        except FileNotFoundError:
            continue
        if not is_ours(name, UNFINISHED, QUARANTINED):
            more.append((name, state))
    return listing, more


def is_of_objects(path: str) -> bool:
    """Whether a directory has nothing but objects of git, by its path."""
    above, _, name = path.rpartition("/")
    return len(name) == 2 and above.endswith("/objects") and ".git/" in above


def _ways(names: "dict[str, set[str]]") -> "dict[str, set[str]]":
    """The names, and those of the directories that lead to them."""
    ways: dict[str, set[str]] = {}
    for path, some in names.items():
        ways.setdefault(path, set()).update(some)
        while path:
            path, _, name = path.rpartition("/")
            if name in ways.setdefault(path, set()):
                break  # and so are those above
            ways[path].add(name)
    return ways


def is_unknown(one: "Entry | None") -> bool:
    """Whether nothing is known of what stood there."""
    return one is not None and one[0] in (UNHELD, SKIPPED)
