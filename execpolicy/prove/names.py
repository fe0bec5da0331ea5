"""Names of files that tell globs apart: a name is a word over characters, a glob of `*` and `?` an
automaton that reads it."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping

from execpolicy.prove.inclusion.machine import TooHardError

Live = frozenset[tuple[object, str]]
"""For each meaning that a name may still get, what is left of a glob that gives it."""

MAX_STATES = 20_000


def is_glob(part: str) -> bool:
    """Whether a part of a pattern stands for more than one name."""
    return "*" in part or "?" in part


def names_of(
    globs: Mapping[str, object], taken: Collection[str], spare: Collection[object] = ()
) -> list[str]:
    """A name for each set of meanings that one name can get, none of those that are taken.

    Globs of one meaning are one language. A name with some more of the `spare` meanings is left out
    where the same can be had with fewer.

    >>> names_of({"*.pem": 1, "id_*": 2}, ()), names_of({"a*b": 1}, {"ab"})
    (['x', 'id_', '.pem', 'id_.pem'], ['x', 'axb'])
    """
    avoided: set[str] = set()
    while True:
        found = _names(globs, avoided, spare)
        met = [name for name in found if name in taken]
        if not met:
            return found
        avoided.update(met)


def _names(globs: Mapping[str, object], avoided: set[str], spare: Collection[object]) -> list[str]:
    letters = _characters(globs, avoided)
    begun = {name[:end] for name in avoided for end in range(1, len(name) + 1)}
    found: dict[frozenset[object], str] = {}
    first = _opened((meaning, glob) for glob, meaning in globs.items())
    waiting, seen = deque([(first, "")]), {(first, "")}
    least: dict[tuple[Live, str], list[Live]] = {}
    while waiting:
        live, name = waiting.popleft()
        if name and name not in avoided:
            found.setdefault(frozenset(meaning for meaning, rest in live if not rest), name)
        for letter in letters:
            then, longer = _opened(_read(live, letter)), name + letter
            key = then, longer if longer in begun else "x"
            firm = frozenset(place for place in then if place[0] not in spare)
            if key not in seen and _is_least(then, least.setdefault((firm, key[1]), [])):
                seen.add(key)
                if len(seen) > MAX_STATES:
                    raise TooHardError
                waiting.append((then, longer))
    return list(found.values())


def _is_least(live: Live, known: list[Live]) -> bool:
    """Whether none that is known, alike but for spare meanings, has fewer of these."""
    if any(all(p in live or (p[0], "*") in live for p in each) for each in known):
        return False
    known.append(live)
    return True


def _characters(globs: Collection[str], avoided: Collection[str]) -> list[str]:
    """The characters of the globs, and before them one that is in none, and in no name avoided."""
    used = {char for glob in globs for char in glob}
    known = used.union(*avoided)
    fresh = next(c for c in (*"xqzwvjky", *map(chr, range(0x3B1, 0x10000))) if c not in known)
    return [fresh, *sorted(used - set("*?"))]


def _read(live: Live, letter: str) -> Iterator[tuple[object, str]]:
    for meaning, rest in live:
        if rest[:1] == "*":
            yield meaning, rest
        elif rest[:1] in ("?", letter):
            yield meaning, rest[1:]


def _opened(places: Iterable[tuple[object, str]]) -> Live:
    """With what a star reaches without a character; what all names get has no other globs left."""
    found = set(places)
    for meaning, rest in tuple(found):
        while rest[:1] == "*":
            rest = rest[1:]
            found.add((meaning, rest))
    certain = {meaning for meaning, rest in found if rest == "*"}
    return frozenset(p for p in found if p[0] not in certain or p[1] in ("", "*"))
