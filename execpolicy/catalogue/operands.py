"""Which operand is of which kind.

Operands are laid on the items of a form from left to right, each item as greedy as the rest allows.
A dynamic word that may be no word or many can move its neighbours: then every kind that a word
could come to stand for is found.
"""

from execpolicy.catalogue.kinds import fits
from execpolicy.catalogue.notation import MANY, MAYBE, ONE
from execpolicy.operation import Dynamic, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Kind = Any
    Items = tuple[tuple[Kind, int], ...]
    Places = list[set[int]]


def place(form: "tuple[Any, ...]", operands: list[Word], fluid: bool) -> "list[Kind] | None":
    """The kind of each operand, or None where the form does not fit.

    `fluid` tells that some operand may be more or fewer words than one; a kind may then be a list
    of all kinds that the word can come to be of.
    """
    items, least, most, simple = form[3], form[4], form[5], form[6]
    count = len(operands)
    if not fluid:
        if count < least or 0 <= most < count:
            return None
        if simple:
            return _count(items, count, count - least)
    ends = _ends(items, operands)
    if 0 not in ends[0]:
        return None
    return _all(items, operands, ends) if fluid else _greedy(items, operands, ends)


def _count(items: "Items", count: int, extra: int) -> "list[Kind]":
    if len(items) == 1:
        return [items[0][0]] * count
    kinds: list[Kind] = []
    for kind, mode in items:
        if mode == ONE:
            kinds.append(kind)
        elif extra:
            used = 1 if mode == MAYBE else extra
            kinds += [kind] * used
            extra -= used
    return kinds


def _steps(items: "Items", place: int, word: Word) -> list[tuple[int, int]]:
    """The items that can take the word at this place, each with the place it leads to."""
    steps = []
    for at in range(place, len(items)):
        kind, mode = items[at]
        if fits(kind, word):
            steps.append((at, at if mode == MANY else at + 1))
        if mode == ONE:
            break
    return steps


def _ends(items: "Items", operands: list[Word]) -> "Places":
    """For each operand and for the end: the places from which the rest can be laid."""
    size = len(items)
    last = {n for n in range(size + 1) if all(mode != ONE for _, mode in items[n:])}
    ends = [last]
    for word in reversed(operands):
        after = ends[-1]
        here = set(after) if _is_fluid(word) else set()
        for at in range(size, -1, -1):
            goal = here | after if _is_fluid(word) else after
            if any(to in goal for _, to in _steps(items, at, word)):
                here.add(at)
        ends.append(here)
    return ends[::-1]


def _greedy(items: "Items", operands: list[Word], ends: "Places") -> "list[Kind]":
    kinds: list[Kind] = []
    place = 0
    for word, after in zip(operands, ends[1:], strict=True):
        at, place = next(step for step in _steps(items, place, word) if step[1] in after)
        kinds.append(items[at][0])
    return kinds


def _all(items: "Items", operands: list[Word], ends: "Places") -> "list[Kind]":
    kinds: list[Kind] = []
    places = {0}
    for word, here, after in zip(operands, ends, ends[1:], strict=False):
        goal = after
        if _is_fluid(word):
            goal = here
            places = _reach(items, places, word)
        steps = {s for p in places for s in _steps(items, p, word) if s[1] in goal}
        if not _is_fluid(word):
            places = {to for _, to in steps}
        found = list(dict.fromkeys(items[at][0] for at, _ in sorted(steps)))
        kinds.append(found if len(found) != 1 else found[0])
    return kinds


def _reach(items: "Items", places: set[int], word: Word) -> set[int]:
    """The places where any number of words like this one can lead."""
    found = set(places)
    todo = list(places)
    while todo:
        new = {to for _, to in _steps(items, todo.pop(), word)} - found
        found |= new
        todo += new
    return found


def _is_fluid(word: Word) -> bool:
    return isinstance(word, Dynamic) and not word.single
