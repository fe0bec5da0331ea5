"""Entries of an index that are as most are, found by one pattern (gitformat-index(5))."""

import re
from struct import unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_PLAIN = (
    rb"(?s)[\x40-\x7e].{23}\0\0(?:\x81[\xa4\xed]|\xa0\0).{32}"  # times, mode, other numbers
    rb"([^\x40-\x7f\xc0-\xff].)([^\0]+)(\0{1,8})(?!\0)"  # flags, name, its end
)
"""An entry as most are: a file or a link that changed after 2004, without more flags."""


def plain(data: bytes, count: int = 0) -> list[bytes] | None:
    """The names of so many entries, or of all that are there, which are as most are; None where one
    is not, for then something is left between them."""
    pieces = re.compile(_PLAIN).split(data, count)
    flags, names, ends = pieces[1::4], pieces[2::4], pieces[3::4]
    rest = pieces[:-1:4] if count else pieces[::4]
    is_whole = len(names) >= count and not any(rest) and names == sorted(names)
    return names if is_whole and _is_exact(flags, names, ends) else None


def _is_exact(flags: "Sequence[bytes]", names: "Sequence[bytes]", ends: "Sequence[bytes]") -> bool:
    """Whether the flags tell how long each name is, and it is filled up to eight bytes: by these
    git goes to the next entry, whatever else lies between."""
    lengths = [*map(len, names)]
    told = [each & 0xFFF for each in unpack(f">{len(flags)}H", b"".join(flags))]
    filled = [size + len(end) + 62 & 7 for size, end in zip(lengths, ends, strict=True)]
    return told == lengths and not any(filled)
