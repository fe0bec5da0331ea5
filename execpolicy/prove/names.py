"""Names of files that tell globs apart: a name is a word over characters, a glob of `*` and `?` an
automaton that reads it."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from execpolicy.prove.inclusion.machine import TooHardError

Live = frozenset[tuple[int, int]]

MAX_STATES = 20_000


def is_glob(part: str) -> bool:
    """Whether a part of a pattern stands for more than one name."""
    return "*" in part or "?" in part


def names_of(globs: Sequence[str], taken: frozenset[str]) -> list[str]:
    """A name for each set of globs that one name can fit, none of those that are taken.

    >>> names_of(["*.pem", "id_*"], frozenset()), names_of(["a*b"], frozenset(["ab"]))
    (['x', 'id_', '.pem', 'id_.pem'], ['x', 'axb'])
    """
    letters = _characters(globs, taken)
    begun = {name[:end] for name in taken for end in range(1, len(name) + 1)}
    found: dict[frozenset[int], str] = {}
    first = _closed(globs, ((number, 0) for number in range(len(globs))))
    waiting, seen = deque([(first, "")]), {(first, "")}
    while waiting:
        live, name = waiting.popleft()
        fits = frozenset(number for number, at in live if at == len(globs[number]))
        if name and name not in taken:
            found.setdefault(fits, name)
        for letter in letters:
            then, longer = _closed(globs, _read(globs, live, letter)), name + letter
            key = then, longer if longer in begun else "x"
            if key not in seen:
                seen.add(key)
                if len(seen) > MAX_STATES:
                    raise TooHardError
                waiting.append((then, longer))
    return list(found.values())


def _characters(globs: Sequence[str], taken: frozenset[str]) -> list[str]:
    """The characters of the globs, and before them one that is in no pattern."""
    used = {char for text in (*globs, *taken) for char in text}
    fresh = next((c for c in "xqzwvjkyα" if c not in used), "\u03b2")
    return [fresh, *sorted({char for glob in globs for char in glob} - set("*?"))]


def _read(globs: Sequence[str], live: Live, letter: str) -> Iterator[tuple[int, int]]:
    for number, at in live:
        glob = globs[number]
        if at < len(glob):
            if glob[at] == "*":
                yield number, at
            elif glob[at] in ("?", letter):
                yield number, at + 1


def _closed(globs: Sequence[str], live: Iterable[tuple[int, int]]) -> Live:
    found = set(live)
    for number, at in tuple(found):
        while at < len(globs[number]) and globs[number][at] == "*":
            at += 1
            found.add((number, at))
    return frozenset(found)
