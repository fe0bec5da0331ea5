"""Names of files that tell globs apart: a name is a word over characters, a glob of `*` and `?` an
automaton that reads it."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from itertools import chain

from execpolicy.prove.inclusion.machine import TooHardError

Live = frozenset[int]
"""What is left of the globs that a name may still fit, by their numbers."""

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
    places = _Places(spare)
    first = places.opened([places.number(m, glob) for glob, m in globs.items()])
    waiting, seen = deque([(first, "")]), {(first, "")}
    least: dict[tuple[Live, str], list[Live]] = {}
    while waiting:
        live, name = waiting.popleft()
        if name and name not in avoided:
            found.setdefault(places.meant(live), name)
        stay, ahead = places.read(live)
        usual = places.opened(stay)
        for letter in letters:
            more, longer = ahead.get(letter, ()), name + letter
            if letter != letters[0] and longer not in begun and places.spare.issuperset(more):
                continue  # as the first letter, which is in no glob, and at most some more spare
            then = places.opened(more, usual) if more else usual
            key = then, longer if longer in begun else "x"
            known = least.setdefault((then - places.spare, key[1]), [])
            if key not in seen and places.is_least(then, known):
                seen.add(key)
                if len(seen) > MAX_STATES:
                    raise TooHardError
                waiting.append((then, longer))
    return list(found.values())


class _Places:
    """What is left of globs, by number: each with its meaning."""

    def __init__(self, spare: Collection[object]) -> None:
        self.spare: set[int] = set()
        self._spare = spare
        self._numbers: dict[tuple[object, str], int] = {}
        self._every: list[tuple[object, str]] = []
        self._closed: list[frozenset[int]] = []
        self._any: dict[object, int] = {}
        self._unended: dict[object, set[int]] = {}

    def number(self, meaning: object, rest: str) -> int:
        """The number of what is left of a glob."""
        place = meaning, rest
        found = self._numbers.get(place)
        if found is None:
            found = self._numbers[place] = len(self._every)
            self._every.append(place)
            self._closed.append(frozenset((found,)))
            if meaning in self._spare:
                self.spare.add(found)
            if rest == "*":
                self._any[meaning] = found
            elif rest:
                self._unended.setdefault(meaning, set()).add(found)
            if rest[:1] == "*":  # a star reaches what is behind it without a character
                self._closed[found] |= self._closed[self.number(meaning, rest[1:])]
        return found

    def opened(self, numbers: Iterable[int], beside: Live = frozenset()) -> Live:
        """With what stars reach; what all names get has no other globs left. `beside` is so."""
        found = beside.union(*map(self._closed.__getitem__, numbers))
        for any_name in found.intersection(self._any.values()):
            found -= self._unended.get(self._every[any_name][0], set())
        return found

    def read(self, live: Live) -> tuple[list[int], dict[str, list[int]]]:
        """What is left after any letter, and what is left besides after some."""
        stay: list[int] = []
        ahead: dict[str, list[int]] = {}
        for number in live:
            meaning, rest = self._every[number]
            if rest[:1] == "*":
                stay.append(number)
            elif rest[:1] == "?":
                stay.append(self.number(meaning, rest[1:]))
            elif rest:
                ahead.setdefault(rest[0], []).append(self.number(meaning, rest[1:]))
        return stay, ahead

    def meant(self, live: Live) -> frozenset[object]:
        """The meanings of a name that ends here."""
        return frozenset(self._every[n][0] for n in live if not self._every[n][1])

    def is_least(self, live: Live, known: list[Live]) -> bool:
        """Whether none that is known, alike but for spare meanings, has fewer of these."""
        for each in known:
            more = each - live
            if all(self._any.get(self._every[n][0], n) in live for n in more):
                return False
        known.append(live)
        return True


def _characters(globs: Collection[str], avoided: Collection[str]) -> list[str]:
    """The characters of the globs, and before them one that is in none, and in no name avoided."""
    used = {char for glob in globs for char in glob}
    known = used.union(*avoided)
    every = chain("xqzwvjky", map(chr, range(0x3B1, 0x10000)))
    fresh = next(char for char in every if char not in known)
    return [fresh, *sorted(used - set("*?"))]
