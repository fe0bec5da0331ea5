"""Which operand is of which kind.

Operands are laid on the items of a form from left to right, each item as greedy as the rest allows.
A dynamic word can be of any kind, and may be no word or many, which moves its neighbours: then
every kind that a word could come to be of is found.
"""

from execpolicy.catalogue.kinds import fits, may_fit, sure
from execpolicy.catalogue.notation import MANY, MAYBE, ONE
from execpolicy.operation import Dynamic, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Kind = Any
    Items = tuple[tuple[Kind, int], ...]
    Places = list[set[int]]
    Test = Callable[[Kind, Word], bool]


def place(form: "tuple[Any, ...]", operands: list[Word], fluid: bool) -> "list[Kind] | None":
    """The kind of each operand, or None where the form does not fit for certain.

    `fluid` tells that some operand may be more or fewer words than one: the form fits if some
    number of words does, and the kinds are those of the likeliest reading.
    """
    items, least, most, simple = form[3], form[4], form[5], form[6]
    count = len(operands)
    if not fluid and (count < least or 0 <= most < count):
        return None
    if simple and count >= least and not 0 <= most < count:
        return _count(items, count, count - least)
    ends = _ends(items, operands, fits)
    return _greedy(items, operands, ends) if 0 in ends[0] else None


def possible_kinds(form: "tuple[Any, ...]", operands: list[Word]) -> "list[list[Kind]] | None":
    """For each operand all kinds that it can come to be of, or None where the form cannot fit."""
    items = form[3]
    ends = _ends(items, operands, may_fit)
    if 0 not in ends[0]:
        return None
    sure = _ends(items, operands, fits) if not any(map(_is_fluid, operands)) else []
    return _all(items, operands, ends, sure)


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


def _steps(items: "Items", place: int, word: Word, test: "Test") -> list[tuple[int, int]]:
    """The items that can take the word at this place, each with the place it leads to."""
    steps = []
    for at in range(place, len(items)):
        kind, mode = items[at]
        if test(kind, word):
            steps.append((at, at if mode == MANY else at + 1))
        if mode == ONE:
            break
    return steps


def _ends(items: "Items", operands: list[Word], test: "Test") -> "Places":
    """For each operand and for the end: the places from which the rest can be laid."""
    size = len(items)
    last = {n for n in range(size + 1) if all(mode != ONE for _, mode in items[n:])}
    ends = [last]
    for word in reversed(operands):
        after = ends[-1]
        here = set(after) if _is_fluid(word) else set()
        for at in range(size, -1, -1):
            goal = here | after if _is_fluid(word) else after
            if any(to in goal for _, to in _steps(items, at, word, test)):
                here.add(at)
        ends.append(here)
    return ends[::-1]


def _greedy(items: "Items", operands: list[Word], ends: "Places") -> "list[Kind]":
    kinds: list[Kind] = []
    place = 0
    for word, here, after in zip(operands, ends, ends[1:], strict=False):
        step = next((s for s in _steps(items, place, word, fits) if s[1] in after), None)
        if step is None:  # no word at all, or several
            step = next((s for s in _steps(items, place, word, fits) if s[1] in here), None)
        kinds.append("text" if step is None else items[step[0]][0])
        place = place if step is None else step[1]
    return kinds


def _all(
    items: "Items", operands: list[Word], ends: "Places", sure: "Places"
) -> "list[list[Kind]]":
    kinds: list[list[Kind]] = []
    places = {0}
    for at, word in enumerate(operands):
        goal = ends[at + 1]
        if _is_fluid(word):
            goal = goal | ends[at]
            places = _reach(items, places, word)
        certain = sure[at + 1] if sure else set()
        steps = {s for p in places for s in _ways(items, p, word, goal, certain)}
        if not _is_fluid(word):
            places = {to for _, to in steps}
        kinds.append(list(dict.fromkeys(items[item][0] for item, _ in sorted(steps))))
    return kinds


def _ways(
    items: "Items", place: int, word: Word, goal: set[int], certain: set[int]
) -> "Iterator[tuple[int, int]]":
    """The steps that lead on, up to one that is sure to be taken."""
    for item, to in _steps(items, place, word, may_fit):
        kind = items[item][0]
        if to in goal:
            yield item, to
            if sure(kind, word) and (to in certain or kind == "assignment"):
                return


def _reach(items: "Items", places: set[int], word: Word) -> set[int]:
    """The places where any number of words like this one can lead."""
    found = set(places)
    todo = list(places)
    while todo:
        new = {to for _, to in _steps(items, todo.pop(), word, may_fit)} - found
        found |= new
        todo += new
    return found


def _is_fluid(word: Word) -> bool:
    return isinstance(word, Dynamic) and not word.single
