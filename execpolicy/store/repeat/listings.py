"""What was seen of whole directories: the same by their times, or else by what they hold."""

import os
from _collections_abc import Iterable

from execpolicy.store.repeat.looks import ENOENT, Look, again
from execpolicy.support import digest

Entries = tuple[tuple[str, bool, bool], ...]
Listing = tuple[str, tuple[int, ...], tuple[str, ...], tuple[tuple[str, bool], ...]]
"""The path, its state if that tells of every later change, digests of all that it holds and of what
counts of it, and each link in it with whether that leads to a directory."""

Absent = tuple[str, tuple[int, ...], tuple[str, ...]]
"""The path of a directory, its state, and paths in it at which nothing is."""

Names = tuple[str, tuple[tuple[str, str, str], ...], str, str | None]
"""Names that count: whole ones, each between line feeds; how others begin or end, each with the
pattern of their paths; and the home and the root that these mean."""

LISTED, ITSELF = "scandir", "lstat"


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
    links = tuple((name, leads) for name, leads, is_link in entries if is_link)
    each = (None,) if names is None else (None, names)
    return path, _settled(path, settled), tuple(_of(path, entries, one) for one in each), links


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
    return state == _state(directory) or all(again(ITSELF, path) == ENOENT for path in paths)


def _settled(path: str, settled: int) -> tuple[int, ...]:
    """The state of a directory, if it tells of every later change."""
    state = _state(path)
    return state if state and max(state[-2:]) < settled else ()


def is_same(listing: "Listing", names: "Names | None" = None) -> bool:
    """Whether a directory holds what it held, as far as these names count."""
    path, state, held, links = listing
    if state and state == _state(path):
        return all(os.path.isdir(f"{path}/{name}") is leads for name, leads in links)
    entries: Entries = again(LISTED, path)  # type: ignore[assignment]
    if not isinstance(entries, tuple):
        return False
    each = zip(held, (None, names), strict=False)
    return any(_of(path, entries, one) == known for known, one in each)


def _state(path: str) -> tuple[int, ...]:
    """What changes with every name of a directory, the times last; nothing if it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return (found.st_mode, found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)


def _of(directory: str, entries: "Entries", names: "Names | None") -> str:
    if names is not None:
        entries = tuple(e for e in entries if e[1] or e[2] or counts(directory, e[0], names))
    return digest.of(repr(entries).encode())


def counts(directory: str, name: str, names: "Names") -> bool:
    """Whether something may be said about a name, whatever file systems take for equal."""
    whole, others, home, root = names
    low = name.lower()
    is_odd = not name.isascii() or "\\" in name or ". " in name or low[-1:] in (".", " ")
    if is_odd or f"\n{low}\n" in whole:
        return True
    fit = [text for head, tail, text in others if low.startswith(head) and low.endswith(tail)]
    if not fit:
        return False
    from execpolicy.policy.folding import fold
    from execpolicy.support.path_match import PathPattern

    path = f"{fold(directory)}/{low}"
    return any(PathPattern(text).matches(path, home, root) for text in fit)
