"""Names that editors and users give to copies of a file: what they are copies of.

GNU Emacs manual 19.3.2 (`x~`, `x.~1~`, `#x#`), Vim 9 `:help swap-file` (`.x.swp`), patch(1)
(`.orig`), dpkg(1) and rpm(8) (`.dpkg-old`, `.rpmsave`), pacman(8) (`.pacsave`), and what people
write by hand.
"""

from _collections_abc import Collection, Iterable, Iterator

_WRITTEN = (
    *("~", ".bak", ".backup", ".old", ".orig", ".save", ".sav", ".copy", ".prev", ".tmp"),
    *("-bak", "_bak", "-backup", "_backup", "-old", "_old", "-copy", "_copy", " copy", "-orig"),
    *(".swp", ".swo", ".swn", ".dpkg-old", ".dpkg-dist", ".dpkg-new", ".dpkg-bak", ".ucf-old"),
    *(".rpmsave", ".rpmorig", ".rpmnew", ".pacsave", ".pacorig", ".pacnew", ".gz", ".bz2", ".xz"),
    *(".zst", ".bkp", ".bk", ".disabled", ".part"),
)
_ENDS = tuple(sorted(_WRITTEN, key=len, reverse=True))
"""The longest first: `.dpkg-old` is not `-old`."""
LONG = _ENDS[:-1]
"""Those that may stand before a suffix, too: `x copy.json`."""
_DIGITS = "0123456789-_.~"
_LAST = frozenset((*_DIGITS, "#"))
_MAX_ENDS = 3
"""Ends of one name that are taken away: `x.bak.old~`."""


def copies(names: "Collection[str]") -> "Iterator[tuple[str, tuple[str, ...]]]":
    """The folded names that may be copies, each with those of which it may be one, as `originals`
    says: of many names few are looked at closer."""
    ends, long = _by_last_two(_ENDS), _by_last_two(LONG)
    few = [name for name in names if name[-2:] in ends and name.endswith(ends[name[-2:]])]
    few += [name for name in names if name[-1:] in _LAST and _is_numbered(name)]
    few += [name for name in names if name[:2] == ".#" or ")." in name or not name.isascii()]
    few += [
        name
        for name in names
        if (stem := name[: name.rfind(".")])[-2:] in long and stem.endswith(long[stem[-2:]])
    ]
    for name in dict.fromkeys(few):
        found = originals(name)
        if found:
            yield name, found


def _is_numbered(name: str) -> bool:
    """Whether a name ends in a number that is not part of its first half, or in `~` or `#`."""
    return (
        name[-1:] == "~"
        or "." in name[1:]
        or name[:1] == "#"
        or name.rstrip(_DIGITS).endswith(LONG)
    )


def _by_last_two(ends: "Iterable[str]") -> "dict[str, tuple[str, ...]]":
    found: dict[str, tuple[str, ...]] = {}
    for end in ends:
        found[end[-2:]] = (*found.get(end[-2:], ()), end)
    return found


def originals(name: str) -> tuple[str, ...]:
    """The names of which this folded one may be a copy; empty for most.

    >>> originals("prod.env~"), originals(".x.yml.swp"), originals("#k.pem#")
    (('prod.env',), ('.x.yml', 'x.yml'), ('k.pem',))
    """
    known = name
    for _ in range(_MAX_ENDS):
        shorter = _shorter(known)
        if shorter == known:
            break
        known = shorter
    if known in ("", ".", name):
        return ()
    return (known, known[1:]) if known[:1] == "." and known[1:] else (known,)


def _shorter(name: str) -> str:
    """The name without one end, or one that stands before its suffix: `x copy.json`."""
    if name[:1] == name[-1:] == "#" and len(name) > 2:
        return name[1:-1]
    if name[:2] == ".#":
        return name[2:]
    if name[-1:] == "~" and ".~" in name:
        return name[: name.rfind(".~")]
    numbered = name.rstrip(_DIGITS)
    for each in (name, numbered if numbered.endswith(LONG) else name):
        if each.endswith(_ENDS):
            end = next(end for end in _ENDS if each.endswith(end))
            return each[: -len(end)].rstrip("." if end == "~" else "")
    stem, dot, suffix = name.rpartition(".")
    if suffix.isdigit() and stem:
        return stem
    if stem.endswith(")") and (at := stem.rfind(" (")) > 0:
        return stem[:at] + dot + suffix
    if not stem.endswith(LONG):
        return name
    return stem[: -len(next(end for end in LONG if stem.endswith(end)))] + dot + suffix
