"""What a snapshot notes of one name in a directory, and the listing of a directory as an object.

A listing holds names with entries, sorted, as plain data. An entry of a file has all that tells
later whether the file was changed, so that an unchanged one is not read again. None of it depends
on git: attributes, filters and ignored names change nothing.
"""

import marshal
import stat
from os import stat_result

Entry = tuple[str | int, ...]
"""The kind, then what belongs to it: see `file`, `directory`, `link`, `special`, `left`."""
Listing = dict[str, Entry]

FILE, DIRECTORY, LINK, SPECIAL, UNHELD, SKIPPED = "f", "d", "l", "s", "u", "x"
DIGEST = -1
"""Where the digest of a file, or of the listing of a directory, is in its entry."""
SIZE, MTIME, CTIME, INODE = 4, 5, 6, 7
UNFINISHED, QUARANTINED = ".execpolicy-undo-", ".execpolicy-quarantine-"
"""How names begin of what is about to be brought back, and of what a run may not have made; the
rest of such a name is 16 digits."""
_DIGITS = frozenset("0123456789abcdef")
_VERSION = 2
"""Of `marshal`: the last that writes equal values as equal bytes, whatever refers to them."""


def is_ours(name: str, *beginnings: str) -> bool:
    """Whether this program gave a file its name, with one of these beginnings."""
    if not name.startswith(beginnings):
        return False
    digits = name.rpartition("-")[2]
    return len(digits) == 16 and _DIGITS.issuperset(digits)


def stamp(state: stat_result) -> tuple[int, ...]:
    """What is compared of a file: mode, owner, group, size, times, inode."""
    return (
        state.st_mode & 0o7777,
        state.st_uid,
        state.st_gid,
        state.st_size,
        state.st_mtime_ns,
        state.st_ctime_ns,
        state.st_ino,
    )


def file(state: stat_result, digest: str) -> "Entry":
    """A regular file with the digest of its content."""
    return (FILE, *stamp(state), digest)


def directory(state: stat_result, digest: str) -> "Entry":
    """A directory with the digest of its listing."""
    return (DIRECTORY, state.st_mode & 0o7777, state.st_uid, state.st_gid, digest)


def link(state: stat_result, target: str) -> "Entry":
    """A symbolic link with its text."""
    return (LINK, target, state.st_ctime_ns)


def changed(one: "Entry") -> int:
    """When what an entry is about was changed last, in nanoseconds; 0 where that is not noted."""
    if one[0] == FILE:
        return int(one[CTIME])
    return int(one[2]) if one[0] == LINK else 0


def special(state: stat_result) -> "Entry":
    """A pipe, a socket or a device: it is noted, and never opened."""
    return (SPECIAL, stat.S_IFMT(state.st_mode), state.st_mode & 0o7777)


def unheld(why: str) -> "Entry":
    """What could not be kept."""
    return (UNHELD, why)


SKIP: "Entry" = (SKIPPED,)
"""What a build makes again, and this snapshot leaves out."""


def packed(listing: "Listing") -> bytes:
    """The bytes of a listing, the same for equal ones."""
    return marshal.dumps(sorted(listing.items()), _VERSION)


def unpacked(data: bytes) -> "Listing":
    """The listing that was packed. Raises `ValueError` for what is none."""
    try:
        return dict(marshal.loads(data))  # noqa: S302 — its digest was checked
    except (EOFError, TypeError) as error:
        raise ValueError("not a listing") from error


def is_same(one: "Entry | None", other: "Entry | None") -> bool:
    """Whether two entries stand for equal content, with the same mode and owner."""
    if one is None or other is None or one[0] != other[0]:
        return one is other
    if one[0] == FILE:
        return one[1:SIZE] == other[1:SIZE] and one[DIGEST] == other[DIGEST]
    if one[0] == DIRECTORY:
        return one[1:SIZE] == other[1:SIZE]
    return one[:2] == other[:2] if one[0] == LINK else one == other
