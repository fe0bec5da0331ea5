"""Entries of an index that are as most are, found by one pattern (gitformat-index(5))."""

import re

_PLAIN = (
    rb"(?s)[\x40-\x7e].{23}\0\0(?:\x81[\xa4\xed]|\xa0\0).{32}"  # times, mode, other numbers
    rb"[^\x40-\x7f\xc0-\xff].([^\0]+)\0{1,8}(?!\0)"  # flags, name
)
"""An entry as most are: a file or a link that changed after 2004, without more flags."""


def plain(data: bytes, count: int = 0) -> list[bytes] | None:
    """The names of so many entries, or of all that are there, which are as most are; None where one
    is not, for then something is left between them."""
    pieces = re.compile(_PLAIN).split(data, count)
    names, rest = pieces[1::2], pieces[:-1:2] if count else pieces[::2]
    is_whole = len(names) >= count and not any(rest)
    return names if is_whole and names == sorted(names) else None
