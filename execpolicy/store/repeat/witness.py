"""Notes all that a process sees of the file system while it decides.

The functions of `os` are replaced meanwhile by ones that note what they give. A hook of the
interpreter (PEP 578) watches that nothing is opened, listed, started or changed past them: then,
and where a process sees what cannot be looked at again, there is nothing to keep.
"""

import builtins
import os
import sys
from time import time_ns

from execpolicy.store.repeat.answers import Logged
from execpolicy.store.repeat.looks import INVALID, PATH_ONLY, of_entries, of_status
from execpolicy.support import startup, watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import IO, Self, TypeVar

    from execpolicy.store.repeat.looks import Look, Seen

    T = TypeVar("T")
    Opened = TypeVar("Opened", int, IO[str])
    Status = Callable[..., os.stat_result]

SETTLED = 2_000_000_000
"""Nanoseconds after which a change of a file certainly changes its times, on every file system."""

MAX_ENTRIES = 4096
"""Names in a directory that is looked at again."""

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OTHERS = ("getppid", "getsid", "getpgid", "uname", "urandom", "statvfs", "getloadavg", "cpu_count")
"""What tells of more than files, and is not looked at again."""
_MOVING = ("/proc/", "/sys/", "/dev/")
_FREE = frozenset(
    (
        *("import", "compile", "exec", "marshal.loads", "marshal.dumps", "code.__new__"),
        *("object.__getattr__", "object.__setattr__", "function.__new__", "builtins.id"),
        *("sys._getframe", "os.putenv", "os.walk", "os.listxattr"),
    )
)
"""Events that say nothing of the world."""
_CONTENT = ("open", "open itself")


class Witness:
    """The looks of this process from `__enter__` to `__exit__`.

    `streams` are those of `sys` that are not to be used meanwhile. `modules`: what is kept is for
    processes that may have other code than this one.
    """

    def __init__(
        self,
        streams: "Sequence[str]" = ("stdin", "stdout", "stderr"),
        *,
        modules: bool = True,
    ) -> None:
        self._streams, self._of_modules = streams, modules
        self._looks: dict[tuple[str, str], Seen] = {}
        self._replaced: list[tuple[object, str, object]] = []
        self._places: dict[int, object] = {}
        self._logged: list[tuple[str, str, int]] = []
        self._written: set[str] = set()
        self._announced = False
        self._watching = False
        self._is_whole = True

    @property
    def looks(self) -> "list[Look] | None":
        """All that was seen, or None where that is not all, or may still change unnoticed."""
        if not self._is_whole or self._written - {path for path, _, _ in self._logged}:
            return None
        limit = time_ns() - SETTLED
        for (kind, _), seen in self._looks.items():
            if kind in _CONTENT and isinstance(seen, tuple) and seen[-1] > limit:  # type: ignore[operator]
                return None
        return [(kind, path, seen) for (kind, path), seen in self._looks.items()]

    @property
    def logged(self) -> tuple[Logged, ...]:
        """What was written to logs."""
        return tuple(Logged(*line) for line in self._logged)

    def spoil(self) -> None:
        """Nothing of this process is to be kept."""
        if watching.here.witness is self:
            self._is_whole = self._is_whole and bool(watching.here.aside)

    def __enter__(self) -> "Self":
        for name in ("stat", "lstat", "readlink", "listdir", "scandir", "access", "open"):
            self._replace(os, name, getattr(self, f"_{name}")(getattr(os, name)))
        for name in _OTHERS:
            if hasattr(os, name):
                self._replace(os, name, self._spoiling(getattr(os, name)))
        self._replace(builtins, "open", self._file(open))
        self._replace(os, "write", self._writing(os.write))
        for stream in self._streams:
            self._put(sys, stream, _Unseen(self, getattr(sys, stream)))
        if self._of_modules:
            looked = ((("stat", path), of_status(status)) for path, status in startup.looked)
            self._looks.update(looked)
        watching.here.witness = self
        self._watching = True
        _listen()
        return self

    def __exit__(self, *_error: object) -> None:
        self._watching = False
        for holder, name, before in reversed(self._replaced):
            setattr(holder, name, before)
        if self._of_modules:
            self._modules()
        watching.here.witness = None

    def _replace(self, holder: object, name: str, by: "Callable[..., object]") -> None:
        """Put another function in place, for this thread."""
        before: Callable[..., object] = getattr(holder, name)
        here = watching.here

        def either(*given: object, **named: object) -> object:
            return (before if here.witness is not self else by)(*given, **named)

        self._put(holder, name, either)

    def _put(self, holder: object, name: str, by: object) -> None:
        self._replaced.append((holder, name, getattr(holder, name)))
        setattr(holder, name, by)

    def wrote(self, path: str, line: str, max_bytes: int) -> None:
        """A line goes to a log."""
        self._logged.append((path, line, max_bytes))

    def note(self, kind: str, path: object, seen: "Seen") -> None:
        """Something was seen."""
        if watching.here.aside or not self._is_whole:
            return
        if not isinstance(path, str) or path.startswith(_MOVING):
            self.spoil()
        elif self._looks.setdefault((kind, path), seen) != seen:
            self.spoil()  # it changed meanwhile

    def _modules(self) -> None:
        """The sources of what was imported, as far as the importer did not look at them."""
        library = os.path.dirname(os.__file__)
        for module in tuple(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if not path or path.startswith(library) or startup.is_installed(module):
                continue
            if ("stat", path) not in self._looks:
                try:
                    self.note("stat", path, of_status(os.stat(path)))
                except OSError:
                    self.spoil()

    def happened(self, event: str, _arguments: "tuple[object, ...]") -> None:
        """Something that the interpreter tells of: nothing may happen unnoticed."""
        if not self._watching or self._announced or watching.here.aside or event in _FREE:
            return
        if sys._getframe(2).f_code.co_filename.startswith("<frozen importlib"):
            return  # a module, which is looked at when all is over
        self.spoil()

    def _really(self, call: "Callable[[], T]") -> "T":
        self._announced = True
        try:
            return call()
        finally:
            self._announced = False

    def _tried(self, kind: str, path: object, call: "Callable[[], T]") -> "T":
        """What a call gives. That it fails is a look, too."""
        try:
            return self._really(call)
        except OSError as error:
            self.note(kind, path, error.errno or INVALID)
            raise
        except ValueError:
            self.note(kind, path, INVALID)
            raise

    # --- what stands in the place of the functions of `os` ----------------------------------------

    def _looking(
        self, kind: str, call: "Callable[..., T]", of: "Callable[[T], Seen]"
    ) -> "Callable[..., T]":
        """A function that notes what `call` gives for a path, or that it fails."""

        def looks(path: object = ".", *given: object, **named: object) -> "T":
            if given or named:
                self.spoil()  # a look that is relative to something open
            found = self._tried(kind, path, lambda: call(path, *given, **named))
            self.note(kind, path, of(found))
            return found

        return looks

    def _stat(self, call: "Status") -> "Status":
        at_path, at_link = (self._status(kind, call) for kind in ("stat", "lstat"))

        def looks(
            path: object, *, dir_fd: int | None = None, follow_symlinks: bool = True
        ) -> os.stat_result:
            if isinstance(path, int):
                return call(path)  # it was noted when it was opened
            if dir_fd is not None:
                self.spoil()
            elif follow_symlinks:
                return at_path(path)
            return at_link(path) if dir_fd is None else call(path, dir_fd=dir_fd)

        return looks

    def _lstat(self, call: "Status") -> "Status":
        return self._status("lstat", call)

    def _status(self, kind: str, call: "Status") -> "Status":
        """As `_looking`, at the status of a path: most looks are, and no event tells of them."""
        note = self.note

        def looks(path: object, **named: object) -> os.stat_result:
            if named:
                self.spoil()
            try:
                found = call(path, **named)
            except OSError as error:
                note(kind, path, error.errno or INVALID)
                raise
            except ValueError:
                note(kind, path, INVALID)
                raise
            note(kind, path, of_status(found))
            return found

        return looks

    def _readlink(self, call: "Callable[..., str]") -> "Callable[..., str]":
        looks = self._looking("readlink", call, str)

        def leads(path: object, **named: object) -> str:
            name = isinstance(path, str) and path.removeprefix("/proc/self/fd/")
            opened = self._places.get(int(name)) if name and name.isdigit() else None
            if opened is None:
                return looks(path, **named)
            found = call(path)
            self.note("leads", opened, found)
            return found

        return leads

    def _listdir(self, call: "Callable[..., list[str]]") -> "Callable[..., list[str]]":
        return self._looking("listdir", call, lambda names: tuple(sorted(names)))

    def _scandir(
        self, call: "Callable[..., AbstractContextManager[Iterator[os.DirEntry[str]]]]"
    ) -> "Callable[..., _Entries]":
        def listed(path: str) -> "list[os.DirEntry[str]]":
            with call(path) as entries:
                found = [entry for entry, _ in zip(entries, range(MAX_ENTRIES), strict=False)]
                if len(found) == MAX_ENTRIES:
                    self.spoil()
                    found += entries
                return found

        looks = self._looking("scandir", listed, of_entries)
        return lambda path=".": _Entries(looks(path))

    def _access(self, call: "Callable[..., bool]") -> "Callable[..., bool]":
        def looks(path: object, mode: int, **named: object) -> bool:
            if named:
                self.spoil()
                return call(path, mode, **named)
            return self._looking(f"access {mode}", lambda at: call(at, mode), bool)(path)

        return looks

    def _open(self, call: "Callable[..., int]") -> "Callable[..., int]":
        def looks(path: object, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            if dir_fd is not None:
                self.spoil()
            return self._opening(path, flags, lambda: call(path, flags, mode, dir_fd=dir_fd))

        return looks

    def _opening(self, path: object, flags: int, call: "Callable[[], Opened]") -> "Opened":
        kind = "open itself" if flags & os.O_NOFOLLOW else "open"
        if PATH_ONLY and flags & PATH_ONLY:
            kind = "leads"
        if flags & _WRITES and not watching.here.aside:
            self._written.add(str(path))
            return self._really(call)
        opened = self._tried(kind, path, call)
        descriptor = opened if isinstance(opened, int) else opened.fileno()
        if kind == "leads":
            self._places[descriptor] = path
        else:
            self._places.pop(descriptor, None)
            self.note(kind, path, of_status(os.fstat(descriptor)))
        return opened

    def _file(self, call: "Callable[..., IO[str]]") -> "Callable[..., IO[str]]":
        def opens(path: object, mode: str = "r", *given: object, **named: object) -> "IO[str]":
            if isinstance(path, int):
                return self._really(lambda: call(path, mode, *given, **named))
            flags = os.O_RDONLY if set(mode) <= set("rbt") else os.O_RDWR
            return self._opening(path, flags, lambda: call(path, mode, *given, **named))

        return opens

    def _writing(self, call: "Callable[[int, bytes], int]") -> "Callable[[int, bytes], int]":
        def writes(descriptor: int, data: bytes) -> int:
            if descriptor in (1, 2):
                self.spoil()  # past the streams
            return call(descriptor, data)

        return writes

    def _spoiling(self, call: "Callable[..., object]") -> "Callable[..., object]":
        def spoils(*given: object, **named: object) -> object:
            self.spoil()
            return call(*given, **named)

        return spoils


_listening: list[None] = []


def _listen() -> None:
    """Have the interpreter tell of its events. It is never told to stop, so it is asked once."""
    if not _listening:
        _listening.append(None)
        sys.addaudithook(_notice)


def _notice(event: str, arguments: "tuple[object, ...]") -> None:
    witness = watching.here.witness
    if witness is not None:
        witness.happened(event, arguments)


class _Entries:
    """The entries of a directory, as `os.scandir` gives them."""

    def __init__(self, entries: "list[os.DirEntry[str]]") -> None:
        self._each = iter(entries)

    def __iter__(self) -> "Iterator[os.DirEntry[str]]":
        return self._each

    def __next__(self) -> "os.DirEntry[str]":
        return next(self._each)

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing: all were read at once."""


class _Unseen:
    """What no answer that is kept may depend on."""

    def __init__(self, witness: Witness, real: object) -> None:
        self._witness, self._real = witness, real

    def __getattr__(self, name: str) -> object:
        self._witness.spoil()
        return getattr(self._real, name)
