"""Which project files a person has read and trusts, by the SHA-256 of their content.

The record is a text of lines `DIGEST  PATH` as `sha256sum` writes them, with control characters and
backslashes of a path escaped, in the user's state directory.
"""

import os

from execpolicy.store import digest, dirs
from execpolicy.store.files import is_mine, private_directory, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def record() -> str:
    """Where the record is."""
    return os.path.join(dirs.state(), "trusted")


def pins() -> dict[str, str]:
    """Path → digest of every file trusted. A record that others can write to counts for nothing."""
    try:
        with open(record(), encoding="utf-8", errors="surrogateescape") as file:
            if not is_mine(os.fstat(file.fileno())):
                return {}
            lines = file.read().splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        pin, gap, path = line.partition("  ")
        if gap and len(pin) == 64:
            found[_unescape(path)] = pin
    return found


def trusted(path: str, data: bytes, known: "Mapping[str, str]") -> bool:
    """Whether this very content of the file was trusted."""
    return known.get(os.path.realpath(path)) == digest.of(data)


def pin(files: "Mapping[str, bytes]") -> None:
    """Trust these contents of these files from now on."""
    known = pins()
    for path, data in files.items():
        real = os.path.realpath(path)
        known[real] = digest.of(data)
        _keep_copy(known[real], data)
    _write(known)


def unpin(paths: "tuple[str, ...]") -> int:
    """Trust these files no longer; how many of them were trusted."""
    known = pins()
    gone = [p for p in map(os.path.realpath, paths) if known.pop(p, None)]
    if gone:
        _write(known)
    return len(gone)


def _write(known: "Mapping[str, str]") -> None:
    private_directory(dirs.state())
    lines = (f"{pinned}  {_escape(path)}\n" for path, pinned in sorted(known.items()))
    replace(record(), "".join(lines).encode("utf-8", "surrogateescape"), 0o600)


def _keep_copy(pinned: str, data: bytes) -> None:
    """Keep what was trusted, so that the next change can be shown as a difference."""
    directory = os.path.join(dirs.state(), "trusted-files")
    private_directory(dirs.state())
    private_directory(directory)
    replace(os.path.join(directory, pinned), data, 0o600)


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
