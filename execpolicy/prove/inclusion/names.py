"""Names of files that tell globs apart: a name is a word over characters, a glob of `*` and `?` an
automaton that reads it."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain

from execpolicy.prove.inclusion.acceptors import TooHardError
from execpolicy.support.path_match import name_fits

Live = int
"""What is left of the globs that a name may still fit: a bit for each."""

MAX_STATES = 20_000
KEPT = 256
"""Sets of globs of which the names are kept: several walks of one proof ask about the same."""


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
    (['x', 'id_x', 'x.pem', 'id_.pem'], ['x', 'axb'])
    """
    avoided: frozenset[str] = frozenset()
    while True:
        found = _names(tuple(globs.items()), avoided, frozenset(spare))
        met = {name: _longer(name, globs, taken) for name in found if name in taken}
        if all(met.values()):
            return [_plainer(met.get(name) or name, globs, taken) for name in found]
        avoided = avoided.union(met)


def _plainer(name: str, globs: Mapping[str, object], taken: Collection[str]) -> str:
    """A name of the same meanings that begins and ends as names do, where there is one."""
    letter = _characters(globs, taken)[0]
    for at in (0, -1):
        made = name + letter if at else letter + name
        if not name[at].isalnum() and made not in taken:
            name = made if _meant(made, globs) == _meant(name, globs) else name
    return name


def _longer(name: str, globs: Mapping[str, object], taken: Collection[str]) -> str | None:
    """A name of the same meanings with one more letter, which is not taken."""
    letter = _characters(globs, taken)[0]
    meant = _meant(name, globs)
    made = (name[:at] + letter + name[at:] for at in range(1, len(name) + 1))
    return next((each for each in made if _meant(each, globs) == meant), None)


def _meant(name: str, globs: Mapping[str, object]) -> set[object]:
    return {meaning for glob, meaning in globs.items() if name_fits(glob, name)}


@lru_cache(KEPT)
def _names(
    meanings: tuple[tuple[str, object], ...], avoided: frozenset[str], spare: frozenset[object]
) -> tuple[str, ...]:
    globs = dict(meanings)
    letters = _characters(globs, avoided)
    begun = {name[:end] for name in avoided for end in range(1, len(name) + 1)}
    found: dict[frozenset[object], str] = {}
    places = _Places(globs, spare)
    waiting, seen = deque([(places.first, "")]), {(places.first, "")}
    least: dict[tuple[Live, str], list[Live]] = {}
    while waiting:
        live, name = waiting.popleft()
        if name and name not in avoided:
            found.setdefault(places.meant(live), name)
        usual = places.after_any(live)
        every = bool(begun) and (not name or name in begun)
        for letter in letters if every else (letters[0], *places.letters(live)):
            more, longer = places.after(live, letter), name + letter
            if letter != letters[0] and longer not in begun and not more & ~places.spare:
                continue  # as the first letter, which is in no glob, and at most some more spare
            then = places.without_rest(usual | more)
            key = then, longer if longer in begun else "x"
            known = least.setdefault((then & ~places.spare, key[1]), [])
            if key not in seen and places.is_least(then, known):
                seen.add(key)
                if len(seen) > MAX_STATES:
                    raise TooHardError
                waiting.append((then, longer))
    return tuple(found.values())


class _Places:
    """What is left of globs, each with its meaning. Each has a bit, so that a set is a number."""

    def __init__(self, globs: Mapping[str, object], spare: Collection[object]) -> None:
        self._numbers: dict[tuple[object, str], int] = {}
        self._every: list[tuple[object, str]] = []
        self._closed: list[Live] = []
        self._any: dict[object, Live] = {}
        self._unended: dict[object, Live] = {}
        self._ahead: dict[str, Live] = {}
        """Those that begin with a letter, a star or a question mark; the ends."""
        self._next: list[int] = []
        self._kept: dict[Live, Live] = {}
        first = [self._number(meaning, glob) for glob, meaning in globs.items()]
        numbered = enumerate(self._every)
        self.spare = sum(1 << number for number, (meaning, _) in numbered if meaning in spare)
        signs = self._ahead.get("*", 0) | self._ahead.get("?", 0) | self._ahead.get("", 0)
        self._telling = ~(signs | self.spare)
        self._anys = sum(self._any.values())
        self.first = self.without_rest(self._opened(first))

    def _number(self, meaning: object, rest: str) -> int:
        """The number of what is left of a glob."""
        found = self._numbers.get((meaning, rest))
        if found is not None:
            return found
        found = self._numbers[meaning, rest] = len(self._every)
        self._every.append((meaning, rest))
        self._closed.append(1 << found)
        self._next.append(found)
        self._ahead[rest[:1]] = self._ahead.get(rest[:1], 0) | 1 << found
        if rest == "*":
            self._any[meaning] = 1 << found
        elif rest:
            self._unended[meaning] = self._unended.get(meaning, 0) | 1 << found
        if rest:
            self._next[found] = self._number(meaning, rest[1:])
        if rest[:1] == "*":  # a star reaches what follows it without a character
            self._closed[found] |= self._closed[self._next[found]]
        return found

    def _opened(self, numbers: Iterable[int]) -> Live:
        """With what stars reach."""
        found = 0
        for number in numbers:
            found |= self._closed[number]
        return found

    def without_rest(self, live: Live) -> Live:
        """What all names get has no other globs left."""
        for number in _bits(live & self._anys):
            live &= ~self._unended.get(self._every[number][0], 0)
        return live

    def after_any(self, live: Live) -> Live:
        """What is left after any letter."""
        stars, singles = (live & self._ahead.get(sign, 0) for sign in "*?")
        found = self._kept.get(stars | singles)
        if found is None:
            found = self._opened((*_bits(stars), *(self._next[n] for n in _bits(singles))))
            found = self._kept[stars | singles] = self.without_rest(found)
        return found

    def letters(self, live: Live) -> list[str]:
        """The letters that make more of a difference than to what is spare, sorted."""
        return sorted({self._every[n][1][0] for n in _bits(live & self._telling)})

    def after(self, live: Live, letter: str) -> Live:
        """What is left besides after a letter."""
        begun = live & self._ahead.get(letter, 0)
        return self._opened(self._next[n] for n in _bits(begun)) if begun else 0

    def meant(self, live: Live) -> frozenset[object]:
        """The meanings of a name that ends here."""
        return frozenset(self._every[n][0] for n in _bits(live & self._ahead.get("", 0)))

    def is_least(self, live: Live, known: list[Live]) -> bool:
        """Whether none that is known, alike but for spare meanings, has fewer of these."""
        for each in known:
            more = each & ~live
            if all(self._any.get(self._every[n][0], 1 << n) & live for n in _bits(more)):
                return False
        known.append(live)
        return True


def _bits(live: Live) -> Iterator[int]:
    while live:
        lowest = live & -live
        yield lowest.bit_length() - 1
        live ^= lowest


def _characters(globs: Collection[str], avoided: Collection[str]) -> list[str]:
    """The characters of the globs, and before them one that is in none, and in no name avoided."""
    used = {char for glob in globs for char in glob}
    known = used.union(*avoided)
    every = chain("xqzwvjky", map(chr, range(0x3B1, 0x10000)))
    fresh = next(char for char in every if char not in known)
    return [fresh, *sorted(used - set("*?"))]
