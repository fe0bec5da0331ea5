"""Which project files a person has read and trusts, by the SHA-256 of their content.

The record is a text of lines `DIGEST  PATH` as `sha256sum` writes them, with control characters and
backslashes of a path escaped, in the user's state directory.
"""

import os

from execpolicy.store import digest, dirs
from execpolicy.store.files import is_mine, private_directory, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    Pins = dict[str, tuple[str, ...]]
    Step = Callable[[str], None]


def record() -> str:
    """Where the record is."""
    return os.path.join(dirs.state(), "trusted")


def pins() -> "Pins":
    """Path → digests of every file trusted. A record that others can write to counts for nothing.

    A path has two while a change of its file is under way: what it is, and what it is to be.
    """
    try:
        with open(record(), encoding="utf-8", errors="surrogateescape") as file:
            if not is_mine(os.fstat(file.fileno())):
                return {}
            lines = file.read().splitlines()
    except OSError:
        return {}
    found: Pins = {}
    for line in lines:
        pin, gap, path = line.partition("  ")
        if gap and len(pin) == 64:
            real = _unescape(path)
            found[real] = (*found.get(real, ()), pin)
    return found


def trusted(path: str, data: bytes, known: "Pins") -> bool:
    """Whether this very content of the file was trusted."""
    return digest.of(data) in known.get(os.path.realpath(path), ())


def pin(files: "Mapping[str, bytes]", step: "Step | None" = None) -> None:
    """Trust these contents of these files from now on."""
    with _changed() as known:
        for path, data in files.items():
            known[os.path.realpath(path)] = (_kept(data),)
        _write(known, step)


def unpin(paths: "tuple[str, ...]") -> int:
    """Trust these files no longer; how many of them were trusted."""
    with _changed() as known:
        gone = [p for p in map(os.path.realpath, paths) if known.pop(p, None)]
        if gone:
            _write(known)
    return len(gone)


def changing(path: str, after: bytes, step: "Step | None" = None) -> "AbstractContextManager[None]":
    """Trust this content of a file, too, while it takes the old one's place; afterwards it alone.

    Whatever ends this in between, the file is trusted as it was, be it the old one or the new.
    """
    from contextlib import contextmanager

    @contextmanager
    def held() -> "Iterator[None]":
        real = os.path.realpath(path)
        with _changed() as known:
            before = known.get(real, ())
            new = _kept(after)
            _write({**known, real: (*before, new)}, step, "pin ")
            yield
            _write({**known, real: (new,)}, step, "settle ")

    return held()


def _changed() -> "AbstractContextManager[Pins]":
    """What is trusted, for nobody else to change meanwhile."""
    from contextlib import contextmanager

    from execpolicy.store import locks

    @contextmanager
    def held() -> "Iterator[Pins]":
        with locks.locked(record()):
            locks.sweep(record())
            yield pins()

    return held()


def _write(known: "Pins", step: "Step | None" = None, prefix: str = "") -> None:
    lines = (
        f"{one}  {_escape(path)}\n"
        for path, digests in sorted(known.items())
        for one in dict.fromkeys(digests)
    )
    told = step and (lambda stage: step(prefix + stage))
    replace(record(), "".join(lines).encode("utf-8", "surrogateescape"), 0o600, told)


def _kept(data: bytes) -> str:
    """The digest of a content, of which a copy is kept to show the next change as a difference."""
    from execpolicy.store import locks

    pinned = digest.of(data)
    directory = os.path.join(dirs.state(), "trusted-files")
    private_directory(directory)
    locks.sweep(os.path.join(directory, pinned))
    replace(os.path.join(directory, pinned), data, 0o600)
    return pinned


def copy(pinned: str) -> bytes | None:
    """The content that was trusted under this digest, if it is still kept."""
    try:
        with open(os.path.join(dirs.state(), "trusted-files", pinned), "rb") as file:
            return file.read()
    except OSError:
        return None


def _escape(path: str) -> str:
    return path.replace("\\", "\\\\").replace("\n", "\\n")


def _unescape(path: str) -> str:
    return path.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\")
