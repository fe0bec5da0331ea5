"""Which project files the user has read and trusts: the project, the file in it, the content.

The record is a text in the user's state directory: a first line with its version, then lines
`SHA-256  ROOT<tab>NAME`, with control characters and backslashes of a path escaped. A file is
trusted only in the project that it was trusted in, and only where it really is: nothing on the way
from the project's root to it is a link. Lines of the first version named no project. They count for
nothing, but it is told that they are there.
"""

import os

from execpolicy.model.errors import Diagnostic, ExecPolicyError
from execpolicy.store.sources import projects
from execpolicy.store.sources.files import (
    is_mine,
    private_directory,
    read_regular,
    replace,
    unreadable,
)
from execpolicy.support import digest, directories
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from contextlib import AbstractContextManager

    Step = Callable[[str], None]

MAX_BYTES = 16 * 1024 * 1024
_HEADER = "# execpolicy trust 2"
_FOLDER = 2  # parts of a path from a holder of rules to their directory


class Pin(Value):
    """A file of a project: the real path of the project's root, and the way from there."""

    root: str
    name: str

    @classmethod
    def of(cls, path: str) -> "Pin":
        """The pin of a rules file, by the project that its directory is in."""
        holder = path
        for _ in range(_FOLDER + 1):
            holder = os.path.dirname(holder)
        root = projects.root(holder)
        return cls(root, path.removeprefix(root).lstrip("/"))


class Record(Value):
    """What is trusted: the digests of each pin.

    A pin has two while a change of its file is under way: what it is, and what it is to be.
    `unbound` are the digests of paths that were trusted before trust was bound to a project.
    """

    pins: "Mapping[Pin, tuple[str, ...]]"
    unbound: "Mapping[str, tuple[str, ...]]"
    problem: Diagnostic | None = None


def record() -> str:
    """Where the record is."""
    return os.path.join(directories.state(), "trusted")


def read() -> Record:
    """What is trusted now. A record that others can write to counts for nothing."""
    path = record()
    try:
        data = read_regular(path, MAX_BYTES + 1)
        if not is_mine(path):
            raise PermissionError("others can write to it")
        if len(data) > MAX_BYTES:
            raise OSError(f"it has more than {MAX_BYTES} bytes")
    except (FileNotFoundError, NotADirectoryError) as error:
        return Record({}, {}, _problem(path, error) if os.path.islink(path) else None)
    except OSError as error:
        return Record({}, {}, _problem(path, error))
    return _parsed(data.decode("utf-8", "surrogateescape"))


def _problem(path: str, error: OSError) -> Diagnostic:
    found = unreadable(path, "record of trust", error)
    hint = f"no project's file may loosen until `{path}` is mended: make it yours, or remove it"
    return found.replace(code="trust", hint=hint, severity="warning")


def _parsed(text: str) -> Record:
    pins: dict[Pin, tuple[str, ...]] = {}
    unbound: dict[str, tuple[str, ...]] = {}
    lines = text.split("\n")
    is_bound = lines[0] == _HEADER
    for line in lines:
        pinned, gap, path = line.partition("  ")
        if not gap or len(pinned) != 64:
            continue
        root, tab, name = path.partition("\t")
        if is_bound and tab:
            pin = Pin(_unescape(root), _unescape(name))
            pins[pin] = (*pins.get(pin, ()), pinned)
        else:
            real = _unescape(path)
            unbound[real] = (*unbound.get(real, ()), pinned)
    return Record(pins, unbound)


def trusted(path: str, data: bytes, known: Record) -> bool:
    """Whether this very content of the file was trusted, in the project that it is in."""
    return bool(known.pins) and is_in_place(path) and _holds(known.pins.get(Pin.of(path)), data)


def was_trusted(path: str, data: bytes, known: Record) -> bool:
    """Whether this content was trusted before trust was bound to a project."""
    return _holds(known.unbound.get(os.path.realpath(path)), data)


def _holds(digests: "tuple[str, ...] | None", data: bytes) -> bool:
    return bool(digests) and digest.of(data) in (digests or ())


def is_in_place(path: str) -> bool:
    """Whether a file is really at this path: nothing on the way is a link."""
    return os.path.realpath(path) == path


def digests(path: str, known: Record) -> tuple[str, ...]:
    """What was trusted under this path last, bound to its project or not."""
    return known.pins.get(Pin.of(path)) or known.unbound.get(os.path.realpath(path), ())


def pin(files: "Mapping[str, bytes]", step: "Step | None" = None) -> None:
    """Trust these contents of these files from now on, each in the project that it is in."""
    with _changed() as known:
        fresh = {Pin.of(path): (_kept(data),) for path, data in files.items()}
        _write(_with(known, fresh), step)


def unpin(paths: "tuple[str, ...]") -> int:
    """Trust these files no longer; how many of them were trusted."""
    mine = {Pin.of(path) for path in paths}
    reals = {os.path.realpath(path) for path in paths}
    with _changed() as known:
        pins = {p: d for p, d in known.pins.items() if p not in mine}
        unbound = {p: d for p, d in known.unbound.items() if p not in reals}
        gone = len(known.pins) - len(pins) + len(known.unbound) - len(unbound)
        if gone:
            _write(Record(pins, unbound))
    return gone


def of_projects(roots: "Collection[str]") -> tuple[str, ...]:
    """Every file that is trusted in projects with these roots, whether it is still there or not."""
    return tuple(os.path.join(p.root, p.name) for p in read().pins if p.root in roots)


def changing(path: str, after: bytes, step: "Step | None" = None) -> "AbstractContextManager[None]":
    """Trust this content of a file, too, while it takes the old one's place; afterwards it alone.

    Whatever ends this in between, the file is trusted as it was, be it the old one or the new.
    """
    from contextlib import contextmanager

    @contextmanager
    def held() -> "Iterator[None]":
        mine = Pin.of(path)
        with _changed() as known:
            before = known.pins.get(mine, ())
            new = _kept(after)
            _write(_with(known, {mine: (*before, new)}), step, "pin ")
            yield
            _write(_with(known, {mine: (new,)}), step, "settle ")

    return held()


def _with(known: Record, fresh: "Mapping[Pin, tuple[str, ...]]") -> Record:
    """A record with these pins, which replace what was unbound under the same paths."""
    paths = {os.path.join(one.root, one.name) for one in fresh}
    unbound = {p: d for p, d in known.unbound.items() if p not in paths}
    return Record({**known.pins, **fresh}, unbound)


def _changed() -> "AbstractContextManager[Record]":
    """What is trusted, locked against changes by other processes."""
    from contextlib import contextmanager

    from execpolicy.store.sources import locks

    @contextmanager
    def held() -> "Iterator[Record]":
        with locks.locked(record()):
            locks.sweep(record())
            known = read()
            if known.problem:
                raise ExecPolicyError(f"{known.problem.span}: {known.problem.message}")
            yield known

    return held()


def _write(known: Record, step: "Step | None" = None, prefix: str = "") -> None:
    lines = [f"{_HEADER}\n"]
    for pinned, digests in sorted(known.pins.items(), key=lambda one: (one[0].root, one[0].name)):
        place = f"{_escape(pinned.root)}\t{_escape(pinned.name)}"
        lines += [f"{one}  {place}\n" for one in dict.fromkeys(digests)]
    for path, digests in sorted(known.unbound.items()):
        lines += [f"{one}  {_escape(path)}\n" for one in dict.fromkeys(digests)]
    told = step and (lambda stage: step(prefix + stage))
    replace(record(), "".join(lines).encode("utf-8", "surrogateescape"), 0o600, told)


def _kept(data: bytes) -> str:
    """The digest of a content, of which a copy is kept to show the next change as a difference."""
    from execpolicy.store.sources import locks

    pinned = digest.of(data)
    directory = os.path.join(directories.state(), "trusted-files")
    private_directory(directory)
    locks.sweep(os.path.join(directory, pinned))
    replace(os.path.join(directory, pinned), data, 0o600)
    return pinned


def copy(pinned: str) -> bytes | None:
    """The content that was trusted under this digest, if it is still kept."""
    try:
        data = read_regular(os.path.join(directories.state(), "trusted-files", pinned), MAX_BYTES)
    except OSError:
        return None
    return data if digest.of(data) == pinned else None


_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_PLAIN = {"\\": "\\", "n": "\n", "t": "\t", "r": "\r"}


def _escape(path: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in path)


def _unescape(path: str) -> str:
    head, *rest = path.split("\\")
    parts = [head]
    rest_of = iter(rest)
    for part in rest_of:
        if part:
            parts.append(_PLAIN.get(part[0], part[0]) + part[1:])
        else:  # two backslashes are one
            parts.append("\\" + next(rest_of, ""))
    return "".join(parts)
