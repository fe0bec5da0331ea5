"""Which operand is of which kind.

Operands are laid on the items of a form from left to right, each item as greedy as the rest allows.
A dynamic word can be of any kind, and may be no word or many, which moves its neighbours: then
every kind that a word could come to be of is found.

A place `n` is a state of this: items before `n` are done. A row says which items can take a word.
"""

from execpolicy.catalogue.grammar.kinds import fits, may_fit, sure
from execpolicy.catalogue.grammar.notation import MANY, MAYBE, ONE
from execpolicy.model.operation import Dynamic, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Kind = Any
    Items = tuple[tuple[Kind, int, bool], ...]
    Row = list[bool]
    Places = list[set[int]]


def place(form: "tuple[Any, ...]", operands: list[Word], fluid: bool) -> "list[Kind] | None":
    """The kind of each operand, or None where the form does not fit for certain.

    `fluid` tells that some operand may be more or fewer words than one: the form fits if some
    number of words does, and the kinds are those of the likeliest reading.
    """
    items, least, most, simple = form[3], form[4], form[5], form[6]
    count = len(operands)
    if not count:
        return None if least else []
    if not fluid and (count < least or 0 <= most < count):
        return None
    if simple and count >= least and not 0 <= most < count:
        return [items[0][0]] * count if len(items) == 1 else _count(items, count - least)
    kinds, certain = _straight(items, operands, fluid)
    if certain:
        return kinds
    return _likeliest(items, operands) if fluid else _searched(items, operands)


def possible_kinds(form: "tuple[Any, ...]", operands: list[Word]) -> "list[list[Kind]] | None":
    """For each operand all kinds that it can come to be of, or None where the form cannot fit."""
    items = form[3]
    settled = _settled(items, operands)
    return _every(items, operands) if settled is None else settled


def _every(items: "Items", operands: list[Word]) -> "list[list[Kind]] | None":
    """The same by looking at all ways to lay the words."""
    first = items[0] if items and operands and not _is_fluid(operands[0]) else None
    if first is not None and first[1] == ONE and not may_fit(first[0], operands[0]):
        return None
    fluid = any(map(_is_fluid, operands))
    rows = _rows(items, operands, may_fit)
    ends = _ends(items, operands, rows)
    if 0 not in ends[0]:
        return None
    certain = [] if fluid else _ends(items, operands, _rows(items, operands, fits))
    return _all(items, operands, rows, ends, certain)


def _likeliest(items: "Items", operands: list[Word]) -> "list[Kind] | None":
    """The kinds where some words may be none or several."""
    rows = _rows(items, operands, fits)
    ends = _ends(items, operands, rows)
    return _greedy(items, rows, ends) if 0 in ends[0] else None


def _count(items: "Items", extra: int) -> "list[Kind]":
    kinds: list[Kind] = []
    for kind, mode, _ in items:
        if mode == ONE:
            kinds.append(kind)
        elif extra:
            used = 1 if mode == MAYBE else extra
            kinds += [kind] * used
            extra -= used
    return kinds


def _straight(
    items: "Items", operands: list[Word], fluid: bool
) -> "tuple[list[Kind] | None, bool]":
    """The kinds where each word goes to the first item that takes it, and whether that is sure.

    Most commands are laid like this in one go. Only where an earlier word could have gone to
    another item, too, or may be more or fewer words, does a misfit not tell that nothing fits.
    """
    kinds: list[Kind] = []
    at, size, forked = 0, len(items), False
    for word in operands:
        forked = forked or (fluid and _is_fluid(word))
        while at < size:
            kind, mode, free = items[at]
            if free or fits(kind, word):
                break
            at = size if mode == ONE else at + 1
        if at >= size:
            return None, not forked
        kinds.append(kind)
        forked = forked or (mode != ONE and at + 1 < size)
        at += mode != MANY
    rest = any(item[1] == ONE for item in items[at:]) if at < size else False
    return (None, not forked) if rest else (kinds, True)


def _settled(items: "Items", operands: list[Word]) -> "list[list[Kind]] | None":
    """The kinds where each word has one item to go to, as in most commands; else None.

    A last word that may be several goes to all items that are left, if these take any word.
    """
    found: list[list[Kind]] = []
    at, size, last = 0, len(items), len(operands) - 1
    for number, word in enumerate(operands):
        if _is_fluid(word):
            rest = items[at:]
            open_end = number == last and all(free for _, _, free in rest)
            return [*found, list(dict.fromkeys(item[0] for item in rest))] if open_end else None
        while at < size and not (items[at][2] or may_fit(items[at][0], word)):
            at = size if items[at][1] == ONE else at + 1
        if at >= size or (items[at][1] != ONE and at + 1 < size):
            return None
        found.append([items[at][0]])
        at += items[at][1] != MANY
    return None if any(item[1] == ONE for item in items[at:]) else found


def _searched(items: "Items", operands: list[Word]) -> "list[Kind] | None":
    """The kinds of the first way to lay all words, trying for each the items from left to right."""
    chosen: list[int] = []
    todo = [(0, 0)]  # for each word so far: its place, and the item to try next
    dead = set()
    while todo:
        number, (place, start) = len(chosen), todo[-1]
        if number == len(operands) and all(item[1] != ONE for item in items[place:]):
            return [items[at][0] for at in chosen]
        at = -1 if number == len(operands) else _taker(items, place, start, operands[number])
        if at < 0:
            dead.add((number, place))
            todo.pop()
            del chosen[-1:]
            continue
        todo[-1] = (place, at + 1)
        to = at if items[at][1] == MANY else at + 1
        if (number + 1, to) not in dead:
            chosen.append(at)
            todo.append((to, to))
    return None


def _taker(items: "Items", place: int, start: int, word: Word) -> int:
    """The first item from `start` on that takes the word at this place, or -1."""
    for at in range(place, len(items)):
        kind, mode, free = items[at]
        if at >= start and (free or fits(kind, word)):
            return at
        if mode == ONE:
            break
    return -1


def _rows(
    items: "Items", operands: list[Word], test: "Callable[[Kind, Word], bool]"
) -> "list[Row]":
    return [[free or test(kind, word) for kind, _, free in items] for word in operands]


def _steps(items: "Items", place: int, row: "Row") -> list[tuple[int, int]]:
    """The items that can take the word at this place, each with the place it leads to."""
    steps = []
    for at in range(place, len(items)):
        mode = items[at][1]
        if row[at]:
            steps.append((at, at if mode == MANY else at + 1))
        if mode == ONE:
            break
    return steps


def _ends(items: "Items", operands: list[Word], rows: "list[Row]") -> "Places":
    """For each operand and for the end: the places from which the rest can be laid."""
    size = len(items)
    ends = [{n for n in range(size + 1) if all(item[1] != ONE for item in items[n:])}]
    before: tuple[Row, bool, set[int]] | None = None
    for word, row in zip(reversed(operands), reversed(rows), strict=True):
        after, fluid = ends[-1], _is_fluid(word)
        if before == (row, fluid, after):  # long commands repeat themselves
            ends.append(after)
            continue
        here = set(after) if fluid else set()
        for at in range(size, -1, -1):
            goal = here | after if fluid else after
            if any(to in goal for _, to in _steps(items, at, row)):
                here.add(at)
        before = (row, fluid, here) if here == after else None
        ends.append(here)
    return ends[::-1]


def _greedy(items: "Items", rows: "list[Row]", ends: "Places") -> "list[Kind]":
    kinds: list[Kind] = []
    place = 0
    for row, here, after in zip(rows, ends, ends[1:], strict=False):
        steps = _steps(items, place, row)
        step = next((s for s in steps if s[1] in after), None)
        if step is None:  # no word at all, or several
            step = next((s for s in steps if s[1] in here), None)
        kinds.append("text" if step is None else items[step[0]][0])
        place = place if step is None else step[1]
    return kinds


def _all(
    items: "Items", operands: list[Word], rows: "list[Row]", ends: "Places", certain: "Places"
) -> "list[list[Kind]]":
    kinds: list[list[Kind]] = []
    places = {0}
    for at, (word, row) in enumerate(zip(operands, rows, strict=True)):
        goal = ends[at + 1]
        if _is_fluid(word):
            goal = goal | ends[at]
            places = _reach(items, places, row)
        known = certain[at + 1] if certain else set()
        steps = {s for p in places for s in _ways(items, p, word, row, goal, known)}
        if not _is_fluid(word):
            places = {to for _, to in steps}
        kinds.append(list(dict.fromkeys(items[item][0] for item, _ in sorted(steps))))
    return kinds


def _ways(
    items: "Items", place: int, word: Word, row: "Row", goal: set[int], certain: set[int]
) -> "Iterator[tuple[int, int]]":
    """The steps that lead on, up to one that is sure to be taken."""
    for item, to in _steps(items, place, row):
        if to in goal:
            yield item, to
            kind = items[item][0]
            if (to in certain or kind == "assignment") and sure(kind, word):
                return


def _reach(items: "Items", places: set[int], row: "Row") -> set[int]:
    """The places where any number of words like this one can lead."""
    found = set(places)
    todo = list(places)
    while todo:
        new = {to for _, to in _steps(items, todo.pop(), row)} - found
        found |= new
        todo += new
    return found


def _is_fluid(word: Word) -> bool:
    return isinstance(word, Dynamic) and not word.single
