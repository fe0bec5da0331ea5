"""What was seen of whole directories: the same by their times, or else by what they hold."""

import _operator  # what `operator` is made of
import os
from _collections_abc import Iterable

from execpolicy.store.repeat.looks import ENOENT, Look, again
from execpolicy.support import digest

Entries = tuple[tuple[str, bool, bool], ...]
Listing = tuple[str, tuple[int, ...], str, tuple[tuple[str, bool], ...]]
"""The path, its state if that tells of every later change, a digest of what counts of all that it
holds, and each link in it with whether that leads to a directory."""

Absent = tuple[str, tuple[int, ...], tuple[str, ...]]
"""The path of a directory, its state, and paths in it at which nothing is."""

Names = tuple[
    frozenset[str],
    tuple[tuple[str, ...], tuple[str, ...]],
    tuple[tuple[str, str, str], ...],
    str,
    str | None,
]
"""Names that count: whole ones; how others begin, and how those end that may begin as they like;
how each of these begins and ends, with the pattern of its path; the home and the root in these."""

_STATE = _operator.attrgetter("st_mode", "st_dev", "st_ino", "st_mtime_ns", "st_ctime_ns")
LISTED, ITSELF = "scandir", "lstat"
MAX_LISTED = 20_000
_listed: "dict[str, tuple[Entries, Names | None, str, tuple[tuple[str, bool], ...]]]" = {}
"""By directory what was worked out of these very entries, and these names."""


def split(
    looks: "Iterable[Look]", settled: int, kind: str = LISTED, names: "Names | None" = None
) -> "tuple[list[Look], list[Listing]]":
    """The listings of a kind among some looks, and the others. Of what they hold that is no
    directory and no link these `names` count alone.

    `settled`: the state of what was changed before, in nanoseconds since the epoch, tells of every
    change since the looks began.
    """
    others: list[Look] = []
    listings: list[Listing] = []
    for look in looks:
        if look[0] == kind and isinstance(look[2], tuple):
            listings.append(_listing(look[1], look[2], settled, names))  # type: ignore[arg-type]
        else:
            others.append(look)
    return others, listings


def _listing(path: str, entries: "Entries", settled: int, names: "Names | None") -> "Listing":
    known = _listed.get(path)
    if known is None or known[0] is not entries or known[1] is not names:
        links = tuple((name, leads) for name, leads, is_link in entries if is_link)
        if len(_listed) >= MAX_LISTED:
            _listed.clear()
        known = _listed[path] = entries, names, _of(path, entries, names), links
    return path, _settled(path, settled), *known[2:]


def part_absent(looks: "Iterable[Look]", settled: int) -> "tuple[list[Look], list[Absent]]":
    """The looks at what is not there, by its directory where the state of that tells all of it, and
    the others. `settled`: see `split`."""
    others: list[Look] = []
    missing: dict[str, list[Look]] = {}
    for look in looks:
        is_absent = look[0] == ITSELF and look[2] == ENOENT
        (missing.setdefault(os.path.dirname(look[1]), []) if is_absent else others).append(look)
    absent: list[Absent] = []
    for directory, found in missing.items():
        state = _settled(directory, settled) if len(found) > 1 else ()
        if state:
            absent.append((directory, state, tuple(path for _, path, _ in found)))
        else:
            others += found
    return others, absent


def is_absent(absent: Absent) -> bool:
    """Whether nothing is at any of the paths."""
    directory, state, paths = absent
    return state == state_of(directory) or all(again(ITSELF, path) == ENOENT for path in paths)


def _settled(path: str, settled: int) -> tuple[int, ...]:
    """The state of a directory, if it tells of every later change."""
    found = state_of(path)
    return found if found and max(found[-2:]) < settled else ()


def is_same(listing: "Listing", names: "Names | None" = None) -> bool:
    """Whether a directory holds what it held, as far as these names count."""
    path, state, held, links = listing
    if state and state == state_of(path):
        return not links or all(os.path.isdir(f"{path}/{name}") is leads for name, leads in links)
    entries: Entries = again(LISTED, path)  # type: ignore[assignment]
    return isinstance(entries, tuple) and _of(path, entries, names) == held


def state_of(path: str) -> tuple[int, ...]:
    """What changes with every name of a directory, the times last; nothing if it is not there."""
    try:
        found: tuple[int, ...] = _STATE(os.stat(path))
    except OSError:
        return ()
    return found


def _of(directory: str, entries: "Entries", names: "Names | None") -> str:
    if names is not None:
        entries = tuple(e for e in entries if e[1] or e[2] or counts(directory, e[0], names))
    return digest.of(repr(entries).encode())


def counts(directory: str, name: str, names: "Names") -> bool:
    """Whether something may be said about a name, whatever file systems take for equal."""
    whole, (heads, tails), others, home, root = names
    low = name.lower()
    is_odd = not name.isascii() or "\\" in name or ". " in name or low[-1:] in (".", " ")
    if is_odd or low in whole:
        return True
    if not low.startswith(heads) and not low.endswith(tails):  # as most: it is not one by one
        return False
    fit = [text for head, tail, text in others if low.startswith(head) and low.endswith(tail)]
    if not fit:
        return False
    from execpolicy.policy.folding import fold
    from execpolicy.support.path_match import PathPattern

    path = f"{fold(directory)}/{low}"
    return any(PathPattern(text).matches(path, home, root) for text in fit)
